"""The lists an installation adds, from settings and files."""

from pathlib import Path

import pytest

from core.errors import InvalidSettings
from plugin.bootstrap import redaction_lists
from plugin.settings import Settings


def test_entries_stand_in_the_setting_and_in_files(tmp_path: Path) -> None:
    listed = tmp_path / "allow.txt"
    listed.write_text("# ours\nBlue Sky\n", encoding="utf-8")
    lists = redaction_lists(Settings(redact_allow=f"Nova; @{listed}", redact_deny="PERSON:Maria Lopez;Tulip"))
    assert lists.allow == {"nova", "blue sky"}
    assert lists.deny == {("maria lopez", "PERSON"), ("tulip", "CUSTOM")}


def test_nothing_is_listed_by_default() -> None:
    assert len(redaction_lists(Settings())) == 0


@pytest.mark.parametrize("deny", ["@/nowhere/deny.txt", "PERSN:Maria"])
def test_what_makes_no_sense_stops_the_start(deny: str) -> None:
    with pytest.raises(InvalidSettings):
        redaction_lists(Settings(redact_deny=deny))
