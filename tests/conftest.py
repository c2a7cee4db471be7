"""Property tests try the same examples at every run, so that a red build means a changed program.

`HYPOTHESIS_PROFILE=explore make unit` tries many new ones.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, max_examples=50, deadline=None, database=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
