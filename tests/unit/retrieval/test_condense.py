from __future__ import annotations

from core.domain.retrieval import Inquiry
from core.retrieval.condense import MOST_TELLING, condensed
from core.retrieval.query import without_noise

TRACEBACK = """Traceback (most recent call last):
  File "night.py", line 12, in <module>
    eso.login('me')
  File "core.py", line 51, in login
    raise KeyError(name)
KeyError: 'ra'"""


def test_of_a_traceback_the_exception_is_left() -> None:
    text = f"It fails since today:\n\n{TRACEBACK}\n\nWhy?"
    assert "\nKeyError: 'ra'\n" in condensed(text)
    assert "line 51" not in condensed(text)
    assert condensed(text).startswith("It fails since today:")
    assert condensed(text).endswith("Why?")


def test_of_a_log_each_error_is_left_once_without_its_time() -> None:
    lines = [f"2026-11-30 10:00:{n:02} worker INFO tick {n}" for n in range(8)]
    lines += [f"2026-11-30 10:01:{n:02} worker ERROR disk full" for n in range(8)]
    assert condensed("\n".join(lines)) == "worker ERROR disk full"


def test_only_the_last_errors_of_many_are_left() -> None:
    lines = [f"2026-11-30 10:00:{n:02} worker ERROR code {n}" for n in range(20)]
    kept = condensed("\n".join(lines)).split("\n")
    assert kept == [f"worker ERROR code {n}" for n in range(20 - MOST_TELLING, 20)]


def test_code_without_an_error_and_short_stretches_stay() -> None:
    code = "\n".join(f"    value_{n} = load({n})" for n in range(8))
    assert condensed(code) == code
    assert condensed("    KeyError: 'a'\n    x = 1") == "    KeyError: 'a'\n    x = 1"


def test_prose_stays_as_it_is() -> None:
    text = "The ValueError page is gone.\nI see an ERROR.\nAnd again.\nAnd again.\nAnd again.\nAnd again."
    assert condensed(text) == text


def test_newest_and_first_message_are_condensed() -> None:
    inquiry = without_noise(Inquiry(TRACEBACK, "Login", TRACEBACK, (TRACEBACK,)))
    assert "line 51" not in inquiry.newest + inquiry.first
    assert inquiry.between == (TRACEBACK,)
