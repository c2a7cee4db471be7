"""The one way in: texts become redacted texts, and the values that were in them a map for the vault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain.passage import Span
from core.domain.redaction import Entity, PlaceholderMap, RedactedText
from core.ports import EntityRecognizer
from core.redaction.known import find_values, known_values
from core.redaction.overlaps import resolve_overlaps
from core.redaction.placeholders import LITERAL, PLACEHOLDER, PlaceholderBook


def redact(
    text: str, *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[RedactedText, PlaceholderMap]:
    """Replace what the recognizer finds and what the map knows already; the map with the new values added.

    `restore` gives `text` back exactly, whatever was found, with this map and with every map grown from it.
    """
    (redacted,), grown = redact_all([text], recognizer=recognizer, placeholders=placeholders)
    return redacted, grown


def redact_all(
    texts: Sequence[str], *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[list[RedactedText], PlaceholderMap]:
    """Redact texts that belong together: what is found in one of them is replaced in all of them."""
    found = [resolve_overlaps(text, recognizer.recognize(text)) for text in texts]
    fresh = {
        text[entity.span.slice]: entity.kind for text, entities in zip(texts, found, strict=True) for entity in entities
    }
    book = PlaceholderBook(placeholders)
    redacted = [
        _replace(text, [*known_values(text, placeholders), *entities, *find_values(text, fresh)], book)
        for text, entities in zip(texts, found, strict=True)
    ]
    return redacted, book.close()


def redact_edit(
    text: str, *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[RedactedText, PlaceholderMap]:
    """Redact what an agent typed. Placeholders of the map that stand in it mean their values and are kept.

    `restore` of the result equals `restore` of `text`.
    """
    pieces = list(_split(text, placeholders))
    fresh, grown = redact_all(
        [piece for _, piece, kept in pieces if not kept], recognizer=recognizer, placeholders=placeholders
    )
    redacted = iter(fresh)
    written: list[str] = []
    entities: list[Entity] = []
    for start, piece, kept in pieces:
        result = RedactedText(piece, ()) if kept else next(redacted)
        written.append(result.text)
        entities += [_shift(entity, start) for entity in result.entities]
    return RedactedText("".join(written), tuple(entities)), grown


def _replace(text: str, entities: Sequence[Entity], book: PlaceholderBook) -> RedactedText:
    """Replace the entities, then what looks like a placeholder in the stretches between them.

    Nothing else can look like one afterwards: a placeholder has `<` only in front and `>` only at its end, so none can
    begin in one stretch and end in another.
    """
    apart = resolve_overlaps(text, entities)
    complete = sorted([*apart, *_literals(text, apart)], key=lambda entity: entity.span.start)
    written: list[str] = []
    done = 0
    for entity in complete:
        written += [text[done : entity.span.start], book.placeholder(entity.kind, text[entity.span.slice])]
        done = entity.span.end
    return RedactedText("".join([*written, text[done:]]), tuple(complete))


def _literals(text: str, apart: Sequence[Entity]) -> Iterator[Entity]:
    edges = [0, *(edge for entity in apart for edge in (entity.span.start, entity.span.end)), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        for match in PLACEHOLDER.finditer(text, start, end):
            yield Entity(LITERAL, Span(*match.span()), 1.0, "looks like a placeholder")


def _split(text: str, placeholders: PlaceholderMap) -> Iterator[tuple[int, str, bool]]:
    """(start, piece, whether it is a placeholder of the map), the pieces together making up the text."""
    done = 0
    for match in PLACEHOLDER.finditer(text):
        if match.group() in placeholders.values:
            yield done, text[done : match.start()], False
            yield match.start(), match.group(), True
            done = match.end()
    yield done, text[done:], False


def _shift(entity: Entity, by: int) -> Entity:
    return Entity(entity.kind, Span(entity.span.start + by, entity.span.end + by), entity.score, entity.reason)
