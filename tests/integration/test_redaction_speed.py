"""What a hostile ticket costs: no text makes the patterns slower than in proportion to its length."""

import time

import pytest

from core.redaction.patterns import find_patterns

CHARS = 200_000
MOST_MS_PER_KB = 100
"""Four times what ordinary text may take on one core."""


@pytest.mark.parametrize(
    "piece",
    [
        *("A", "1", " ", "(0", "12 ", "Aa ", "a.", "a@", "de la ", "1 Aa ", "12 rue A ", "Calle A ", "a dot ", "x="),
        *(
            "password is ",
            "cookie: a=b; ",
            "-----BEGIN PRIVATE KEY-----\n",
            "https://a/b/c/",
            "my address is ",
            "ssh -l a ",
        ),
    ],
)
def test_a_long_hostile_text_takes_time_in_proportion(piece: str) -> None:
    text = (piece * CHARS)[:CHARS]
    started = time.process_time()
    find_patterns(text)
    assert (time.process_time() - started) * 1000 / (CHARS / 1000) < MOST_MS_PER_KB
