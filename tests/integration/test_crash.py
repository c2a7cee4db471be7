"""Kill -9 at random moments; `make bench-crash` does it forty times, here it is done four times."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.crash import run

pytestmark = [pytest.mark.models, pytest.mark.server]


def test_nothing_is_lost_and_nothing_is_done_twice_when_the_process_is_killed(tmp_path: Path) -> None:
    result = run(kills=2, seed=7, folder=tmp_path)
    assert (result.kills, result.tickets) == (4, 6)
    assert result.clean, result
