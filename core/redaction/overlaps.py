"""From what several recognizers found to stretches that can be replaced: sorted, apart, nothing left uncovered."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.passage import Span
from core.domain.redaction import Entity


def resolve_overlaps(text: str, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Entities in text order that do not overlap; the result does not depend on the order of `entities`.

    Spans are cut to the text and trimmed of white space. Spans that overlap become one span over all of them, so that
    no character anybody flagged stays visible. Its kind, score and reason are those of the longest of them; between
    equally long ones the higher score, then the alphabetically first kind and reason, win.
    """
    trimmed = [entity for entity in (_trim(text, entity) for entity in entities) if len(entity.span)]
    merged: list[Entity] = []
    best: list[Entity] = []
    for entity in sorted(trimmed, key=lambda e: (e.span.start, e.span.end, _precedence(e))):
        if merged and entity.span.overlaps(merged[-1].span):
            best[-1] = min(best[-1], entity, key=_precedence)
            union = Span(merged[-1].span.start, max(merged[-1].span.end, entity.span.end))
            merged[-1] = Entity(best[-1].kind, union, best[-1].score, best[-1].reason)
        else:
            merged.append(entity)
            best.append(entity)
    return tuple(merged)


def _precedence(entity: Entity) -> tuple[int, float, str, str]:
    return -len(entity.span), -entity.score, entity.kind, entity.reason


def _trim(text: str, entity: Entity) -> Entity:
    piece = text[entity.span.slice]
    start = min(entity.span.start, len(text)) + len(piece) - len(piece.lstrip())
    return Entity(entity.kind, Span(start, start + len(piece.strip())), entity.score, entity.reason)
