from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.redaction.overlaps import resolve_overlaps

TEXT = "Maria Lopez Garcia, maria.lopez@example.org "


def entity(start: int, end: int, kind: str = "PERSON", score: float = 0.5) -> Entity:
    return Entity(kind, Span(start, end), score, "test")


def spans(entities: tuple[Entity, ...]) -> list[tuple[str, str]]:
    return [(e.kind, TEXT[e.span.slice]) for e in entities]


def test_the_longest_names_the_union() -> None:
    found = [entity(20, 25), entity(20, 43, "EMAIL_ADDRESS")]
    assert spans(resolve_overlaps(TEXT, found)) == [("EMAIL_ADDRESS", "maria.lopez@example.org")]


def test_nothing_flagged_stays_visible_between_crossing_spans() -> None:
    assert spans(resolve_overlaps(TEXT, [entity(0, 11), entity(6, 18)])) == [("PERSON", "Maria Lopez Garcia")]


def test_between_equally_long_ones_the_higher_score_wins() -> None:
    (winner,) = resolve_overlaps(TEXT, [entity(0, 5, "A", 0.2), entity(0, 5, "B", 0.9)])
    assert (winner.kind, winner.score) == ("B", 0.9)


def test_neighbours_that_touch_stay_apart() -> None:
    assert len(resolve_overlaps(TEXT, [entity(0, 5), entity(5, 11)])) == 2


def test_spans_are_trimmed_and_cut_to_the_text() -> None:
    found = [entity(5, 12), entity(18, 19), entity(43, 44), entity(900, 950), entity(40, 500)]
    assert spans(resolve_overlaps(TEXT, found)) == [("PERSON", "Lopez"), ("PERSON", ","), ("PERSON", "org")]


@st.composite
def entities(draw: st.DrawFn) -> list[Entity]:
    edges = st.integers(0, len(TEXT) + 3)
    pairs = draw(st.lists(st.tuples(edges, edges), max_size=8))
    return [entity(min(p), max(p), draw(st.sampled_from("ABC")), draw(st.sampled_from([0.1, 0.5]))) for p in pairs]


@given(entities(), st.permutations(range(8)))
def test_the_order_of_the_input_does_not_matter(found: list[Entity], order: list[int]) -> None:
    shuffled = [found[n] for n in order if n < len(found)]
    assert resolve_overlaps(TEXT, found) == resolve_overlaps(TEXT, shuffled)


@given(entities())
def test_the_result_is_sorted_apart_and_covers_everything_flagged(found: list[Entity]) -> None:
    resolved = resolve_overlaps(TEXT, found)
    assert all(a.span.end <= b.span.start for a, b in pairwise(resolved))
    covered = {n for e in resolved for n in range(e.span.start, e.span.end)}
    flagged = {n for e in found for n in range(e.span.start, min(e.span.end, len(TEXT))) if not TEXT[n].isspace()}
    assert flagged <= covered
