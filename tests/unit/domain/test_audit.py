from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from core.domain.audit import GENESIS, LedgerEntry, LedgerHead, SealKeys, seal_entry, verify_chain

KEY = b"key"
KEYS = SealKeys.single(KEY)
NOW = datetime(2026, 11, 30, 12, 0, 0, 1, tzinfo=UTC)


def chain(length: int) -> list[LedgerEntry]:
    entries: list[LedgerEntry] = []
    for number in range(1, length + 1):
        entries.append(sealed(number, entries[-1].seal if entries else GENESIS))
    return entries


def sealed(number: int, previous_seal: str, *, key: bytes = KEY, at: datetime = NOW) -> LedgerEntry:
    return seal_entry(
        key,
        number=number,
        at=at,
        actor="ada",
        event="draft_approved",
        subject="d1",
        details={"stars": 5, "edited": False},
        previous_seal=previous_seal,
    )


def head_of(entries: list[LedgerEntry]) -> LedgerHead:
    return LedgerHead(entries[-1].number, entries[-1].seal)


def test_an_unbroken_chain_is_intact() -> None:
    report = verify_chain(chain(3), KEYS, head_of(chain(3)))
    assert report.intact
    assert (report.entries, report.head) == (3, head_of(chain(3)))


def test_nothing_at_all_is_intact_only_if_nothing_was_recorded() -> None:
    assert verify_chain([], KEYS, LedgerHead()).intact
    assert not verify_chain([], KEYS, head_of(chain(1))).intact


@pytest.mark.parametrize(
    "change",
    [
        lambda e: replace(e, at=e.at + timedelta(microseconds=1)),
        lambda e: replace(e, actor="eve"),
        lambda e: replace(e, event="draft_rejected"),
        lambda e: replace(e, subject="d2"),
        lambda e: replace(e, details={"stars": 4, "edited": False}),
        lambda e: replace(e, details={"stars": 5, "edited": 0}),
        lambda e: replace(e, seal="f" * 64),
    ],
)
def test_any_altered_field_is_noticed(change: Callable[[LedgerEntry], LedgerEntry]) -> None:
    entries = chain(3)
    entries[1] = change(entries[1])
    assert "entry 2 was altered" in verify_chain(entries, KEYS, head_of(chain(3))).problems


def test_an_entry_resealed_with_another_key_is_noticed() -> None:
    first, second = chain(2)
    forged = sealed(2, first.seal, key=b"guess")
    assert verify_chain([first, forged], KEYS, head_of([first, second])).problems[0] == "entry 2 was altered"


def test_an_entry_resealed_with_the_right_key_no_longer_fits_the_next() -> None:
    first, _, third = chain(3)
    other = sealed(2, first.seal, at=NOW + timedelta(days=1))
    problems = verify_chain([first, other, third], KEYS, head_of(chain(3))).problems
    assert problems == ("entry 3 does not continue entry 2",)


def test_a_dropped_head_middle_or_tail_is_noticed() -> None:
    entries = chain(4)
    for missing in range(4):
        rest = entries[:missing] + entries[missing + 1 :]
        assert not verify_chain(rest, KEYS, head_of(entries)).intact


def test_a_repeated_entry_is_noticed() -> None:
    first, second = chain(2)
    assert not verify_chain([first, second, second], KEYS, head_of(chain(2))).intact


def test_the_same_moment_in_another_zone_has_the_same_seal() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=9)))
    assert sealed(1, GENESIS).seal == sealed(1, GENESIS, at=elsewhere).seal


def test_the_order_of_details_does_not_matter() -> None:
    first = sealed(1, GENESIS)
    turned = replace(first, details=dict(reversed(list(first.details.items()))))
    assert verify_chain([turned], KEYS, head_of([first])).intact
