"""The one way in: texts become redacted texts, and the values that were in them a map for the vault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain.passage import Span
from core.domain.redaction import PLACEHOLDER, Entity, PlaceholderMap, RedactedText
from core.ports import EntityRecognizer
from core.redaction.known import find_values, known_values
from core.redaction.lists import apply_lists, is_allowed_phrase, without_allowed
from core.redaction.overlaps import resolve_overlaps
from core.redaction.placeholders import LITERAL, PlaceholderBook


def redact(
    text: str, *, recognizer: EntityRecognizer, placeholders: PlaceholderMap
) -> tuple[RedactedText, PlaceholderMap]:
    """Replace what the recognizer finds and what the map knows already; the map with the new values added.

    `restore` gives `text` back exactly, whatever was found, with this map and with every map grown from it.
    """
    (redacted,), grown = redact_all([text], recognizer=recognizer, placeholders=placeholders)
    return redacted, grown


def redact_all(
    texts: Sequence[str],
    *,
    recognizer: EntityRecognizer,
    placeholders: PlaceholderMap,
    told: Sequence[tuple[str, str]] = (),
) -> tuple[list[RedactedText], PlaceholderMap]:
    """Redact texts that belong together: what is found in one of them is replaced in all of them.

    `told` are (kind, value) known to be personal from elsewhere; they come first in the map. What the recognizer's
    lists allow is never replaced, whatever else says so; what they deny always is.
    """
    lists = recognizer.lists
    found = [resolve_overlaps(text, apply_lists(text, recognizer.recognize(text), lists)) for text in texts]
    told = [(kind, value) for kind, value in told if not is_allowed_phrase(value, lists)]
    fresh = {value: kind for kind, value in reversed([*told, *_values(texts, found)])}
    complete = []
    for text, entities in zip(texts, found, strict=True):
        again = [*known_values(text, placeholders), *find_values(text, fresh)]
        complete.append(_complete(text, [*without_allowed(text, again, lists), *entities]))
    book = PlaceholderBook(placeholders)
    book.add([*told, *_values(texts, complete)])
    return [_replace(text, entities, book) for text, entities in zip(texts, complete, strict=True)], book.close()


def _values(texts: Sequence[str], found: Sequence[Sequence[Entity]]) -> Iterator[tuple[str, str]]:
    """(kind, value) of everything found, in its order."""
    for text, entities in zip(texts, found, strict=True):
        yield from ((entity.kind, text[entity.span.slice]) for entity in entities)


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


def _complete(text: str, entities: Sequence[Entity]) -> list[Entity]:
    """The entities apart, and what looks like a placeholder in the stretches between them.

    Nothing else can look like one afterwards: a placeholder has `<` only in front and `>` only at its end, so none can
    begin in one stretch and end in another.
    """
    apart = resolve_overlaps(text, entities)
    return sorted([*apart, *_literals(text, apart)], key=lambda entity: entity.span.start)


def _replace(text: str, entities: Sequence[Entity], book: PlaceholderBook) -> RedactedText:
    written: list[str] = []
    done = 0
    for entity in entities:
        written += [text[done : entity.span.start], book.placeholder(entity.kind, text[entity.span.slice])]
        done = entity.span.end
    return RedactedText("".join([*written, text[done:]]), tuple(entities))


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
