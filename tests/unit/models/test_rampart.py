"""The parts of the classifier that need no model."""

from itertools import pairwise

import numpy as np
import pytest

from connectors.models.rampart import OVERLAP_TOKENS, WINDOW_TOKENS, _worth_reading, to_seven_bits, unpacked, windows


@pytest.mark.parametrize("count", [0, 1, WINDOW_TOKENS, WINDOW_TOKENS + 1, 1000, 5000])
def test_windows_cover_everything_and_overlap(count: int) -> None:
    found = list(windows(count))
    assert found[0][0] == 0
    assert found[-1][1] == count
    assert all(end - start <= WINDOW_TOKENS for start, end in found)
    assert all(end - start == OVERLAP_TOKENS for (_, end), (start, _) in pairwise(found))


def test_seven_bits_are_near_the_weights() -> None:
    weights = np.random.default_rng(1).normal(size=(64, 8)).astype(np.float32)
    integers, scales = to_seven_bits(weights)
    assert integers.dtype == np.int8
    assert np.abs(integers).max() == 63
    assert np.abs(integers * scales - weights).max() <= scales.max() / 2 + 1e-6


def test_blocks_are_scaled_each_by_its_own_and_low_bits_come_first() -> None:
    packed = np.full((2, 2, 16), 0x97, dtype=np.uint8)
    weights = unpacked(packed, np.array([1, 2, 3, 4], dtype=np.float32))
    assert weights.shape == (64, 2)
    assert weights[:2, 0].tolist() == [-1, 1]
    assert weights[32:34, 0].tolist() == [-2, 2]
    assert weights[32:34, 1].tolist() == [-4, 4]


def test_only_the_beginning_of_long_identifiers_is_read() -> None:
    text = "Ana Bell " + "x1" * 20 + " Joe"
    offsets = [(0, 3), (4, 8), *((9 + n, 10 + n) for n in range(40)), (50, 53)]
    kept = list(_worth_reading(text, offsets))
    assert kept == [*range(10), 42]


def test_long_words_of_letters_are_read_whole() -> None:
    text = "Donaudampfschifffahrtsgesellschaft"
    offsets = [(n, n + 1) for n in range(len(text))]
    assert list(_worth_reading(text, offsets)) == list(range(len(text)))
