from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from math import inf, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Dialect
from sqlalchemy.dialects import postgresql, sqlite

from connectors.storage.columns import Json, UtcTime, storable
from core.domain.passage import Run, ScoredPassage

SQLITE: Dialect = sqlite.dialect()
POSTGRES: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]


@given(st.text())
def test_what_is_storable_has_the_same_length_and_is_valid_utf8_without_nul(text: str) -> None:
    kept = storable(text + "\ud83d")
    assert len(kept) == len(text) + 1
    assert "\x00" not in kept
    assert kept.encode()


def test_ordinary_text_is_storable_as_it_is() -> None:
    assert storable("Zoë 😀\t\n") == "Zoë 😀\t\n"


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRES])
def test_a_time_of_any_zone_comes_back_in_utc(dialect: Dialect) -> None:
    moment = datetime(2026, 3, 29, 1, 30, 0, 5, tzinfo=timezone(timedelta(hours=-7)))
    bound = UtcTime().process_bind_param(moment, dialect)
    back = UtcTime().process_result_value(bound, dialect)
    assert back == moment
    assert back is not None
    assert back.tzinfo is UTC


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        UtcTime().process_bind_param(datetime(2026, 1, 1), SQLITE)  # noqa: DTZ001


def test_scores_that_json_does_not_know_survive() -> None:
    run = Run("dense", "docs", (ScoredPassage("p", -inf, 1),), 5, parameters={"k": nan})
    column = Json(Run)
    back = column.process_result_value(column.process_bind_param(run, SQLITE), SQLITE)
    assert back is not None
    assert back.items == run.items
    assert isnan(back.parameters["k"])


def test_half_a_surrogate_pair_inside_a_domain_object_does_not_make_it_unreadable() -> None:
    column = Json(Run)
    stored = column.process_bind_param(Run("\ud83d\x00", "docs", (), 5), POSTGRES)
    assert column.process_result_value(stored, POSTGRES) == Run("\ufffd\x00", "docs", (), 5)
    assert stored is not None
    assert "\x00" not in stored
