"""BM25 as every lexical index here ranks by it: Robertson and Zaragoza 2009, equation 3.15, with Lucene's details.

The details are an idf that is never negative, the constant factor k1 + 1, and lengths in one byte: they make an index
of ours give the scores that an Elasticsearch server gives.
"""

from __future__ import annotations

import math

K1 = 5.0
"""Four times the usual 1.2: a term that is repeated goes on counting. Help articles of several pages gain from it."""

B = 0.75

_EXACT = 24
_BITS = 4


def idf(holders: int, entries: int) -> float:
    """`holders` of `entries` have the term; only entries that have the field at all are counted.

    >>> round(idf(1, 2), 4), round(idf(2, 2), 4)
    (0.6931, 0.1823)
    """
    return math.log(1 + (entries - holders + 0.5) / (holders + 0.5))


def saturation(tf: float, length: int, mean_length: float, *, k1: float = K1, b: float = B) -> float:
    """What a term that occurs `tf` times in a field of `length` terms adds, in units of its idf; below k1 + 1.

    >>> saturation(1, 10, 10), saturation(5, 10, 10), round(saturation(1, 20, 10), 3)
    (1.0, 3.0, 0.615)
    """
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * coded_length(length) / mean_length))


def coded_length(length: int) -> int:
    """A field's length as Lucene keeps it in one byte: exact below 40, then rounded down to 4 significant bits.

    >>> [coded_length(n) for n in (0, 39, 40, 41, 57, 1000)]
    [0, 39, 40, 40, 56, 984]
    """
    beyond = length - _EXACT
    if beyond < 1 << _BITS:
        return length
    shift = beyond.bit_length() - _BITS
    return _EXACT + (beyond >> shift << shift)
