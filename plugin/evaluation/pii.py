"""Measure the redaction on labelled data: what is found, what technical text survives, what it costs."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.domain.passage import Span
from core.domain.redaction import Entity, PlaceholderMap
from core.errors import DocumentUnreadable
from core.evaluation.identifiers import Identifier, find_identifiers, surviving
from core.evaluation.spans import LabelledSpan, Score, SpanScores, false_characters, score_spans
from core.ports import EntityRecognizer
from core.redaction.redact import redact

OURS = "citedesk"
_SAMPLE_CHARS = 1_000
_LANGUAGE = re.compile(r"(?:^|-)(en|de|fr|es|it|pt)-")

Finder = Callable[[str], Sequence[Entity]]


@dataclass(frozen=True, slots=True)
class LabelledText:
    text_id: str
    language: str
    text: str
    spans: tuple[LabelledSpan, ...]


def ours(recognizer: EntityRecognizer) -> Finder:
    """What the product replaces in a text that it sees for the first time."""

    def find(text: str) -> Sequence[Entity]:
        return redact(text, recognizer=recognizer, placeholders=PlaceholderMap())[0].entities

    return find


def read_labelled(file: Path) -> list[LabelledText]:
    """Labelled texts: JSON lines with `text` and `spans` (`start`, `end`, `label`), or a JSON list as
    presidio-research writes it (`full_text`; `start_position`, `end_position`, `entity_type`).

    Raises `DocumentUnreadable` naming the record that cannot be read.
    """
    texts = []
    for number, record in enumerate(_records(file), 1):
        try:
            texts.append(_labelled(record, number))
        except (KeyError, TypeError, ValueError) as error:
            raise DocumentUnreadable(f"{file.name}, record {number}: not a labelled text.") from error
    return texts


def _records(file: Path) -> list[Any]:
    """Raises `DocumentUnreadable` when the file is not JSON."""
    try:
        content = file.read_text(encoding="utf-8")
        if content.lstrip().startswith("["):
            return list(json.loads(content))
        return [json.loads(line) for line in content.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DocumentUnreadable(f"{file.name} is neither JSON lines nor a JSON list.") from error


def _labelled(record: Mapping[str, Any], number: int) -> LabelledText:
    text_id = str(record.get("_id", number))
    language = _LANGUAGE.search(text_id)
    return LabelledText(
        text_id,
        str(record.get("lang") or (language.group(1) if language else "")),
        record["text"] if "text" in record else record["full_text"],
        tuple(_span(span) for span in record["spans"]),
    )


def _span(record: Mapping[str, Any]) -> LabelledSpan:
    if "start" in record:
        return LabelledSpan(Span(record["start"], record["end"]), record["label"])
    return LabelledSpan(Span(record["start_position"], record["end_position"]), record["entity_type"])


def read_texts(file: Path) -> list[str]:
    """The subject, title and text of each record of a JSON-lines file. Raises `DocumentUnreadable`."""
    try:
        return [
            "\n\n".join(record[name] for name in ("subject", "title", "text") if record.get(name))
            for record in _records(file)
        ]
    except (AttributeError, TypeError) as error:
        raise DocumentUnreadable(f"{file.name}: its records need a `text`.") from error


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one system: `total` over all files, `by_file`, `by_language`, and the CPU time, ms per 1,000 characters."""

    total: SpanScores
    by_file: Mapping[str, SpanScores]
    by_language: Mapping[str, SpanScores]
    costs: tuple[float, ...]

    def cost(self, share: float) -> float:
        """The quantile of the CPU time, ms per 1,000 characters; 0.0 when nothing was timed."""
        ordered = sorted(self.costs)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def measure(files: Mapping[str, Sequence[LabelledText]], find: Finder) -> Measured:
    """Redact every text once; the first text is redacted before as well, so that loading does not count."""
    texts = [text for members in files.values() for text in members]
    if texts:
        find(texts[0].text)
    by_file: dict[str, SpanScores] = {}
    by_language: dict[str, SpanScores] = {}
    timed: list[tuple[int, float]] = []
    for name, members in files.items():
        for text in members:
            score, seconds = _score(text, find)
            by_file[name] = by_file.get(name, SpanScores()) + score
            if text.language:
                by_language[text.language] = by_language.get(text.language, SpanScores()) + score
            timed.append((len(text.text), seconds))
    total = sum(by_file.values(), SpanScores())
    return Measured(total, by_file, by_language, tuple(_costs(timed)))


def _score(text: LabelledText, find: Finder) -> tuple[SpanScores, float]:
    started = time.process_time()
    entities = find(text.text)
    seconds = time.process_time() - started
    return score_spans(text.text, text.spans, _predicted(entities)), seconds


def _predicted(entities: Iterable[Entity]) -> list[LabelledSpan]:
    return [LabelledSpan(entity.span, entity.kind) for entity in entities]


def _costs(timed: Iterable[tuple[int, float]]) -> Iterator[float]:
    """ms per 1,000 characters, over runs of texts that have at least so many together."""
    chars, seconds = 0, 0.0
    for length, taken in timed:
        chars, seconds = chars + length, seconds + taken
        if chars >= _SAMPLE_CHARS:
            yield seconds * 1e6 / chars
            chars, seconds = 0, 0.0


def errors(texts: Iterable[LabelledText], find: Finder) -> Iterator[dict[str, Any]]:
    """Each expected span that was not wholly found and each false one, with what stands around it."""
    for text in texts:
        entities = find(text.text)
        missed, false = false_characters(text.text, text.spans, _predicted(entities))
        reasons = {entity.span: entity.reason for entity in entities}
        for verdict, spans in (("missed", missed), ("false", false)):
            for item in spans:
                yield _error(text, verdict, item, reasons.get(item.span, ""))


def _error(text: LabelledText, verdict: str, item: LabelledSpan, reason: str) -> dict[str, Any]:
    start, end = item.span.start, item.span.end
    around = f"{text.text[max(0, start - 40) : start]}[[{text.text[start:end]}]]{text.text[end : end + 40]}"
    return {"id": text.text_id, "error": verdict, "label": item.label, "reason": reason, "text": around}


@dataclass(frozen=True, slots=True)
class Survival:
    """How many technical identifiers a set of texts has and how many are left as they were, by kind."""

    present: Mapping[str, int]
    survived: Mapping[str, int]
    lost: tuple[str, ...]

    @property
    def share(self) -> float:
        """1.0 when there were none."""
        present = sum(self.present.values())
        return sum(self.survived.values()) / present if present else 1.0


def survival(texts: Iterable[str], find: Finder) -> Survival:
    present: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    lost: list[str] = []
    for text in texts:
        identifiers = find_identifiers(text)
        entities = find(text)
        left = list(surviving(identifiers, (entity.span for entity in entities)))
        present.update(identifier.kind for identifier in identifiers)
        survived.update(identifier.kind for identifier in left)
        lost += [_lost(text, gone, entities) for gone in identifiers if gone not in left]
    return Survival(dict(present), dict(survived), tuple(lost))


def _lost(text: str, gone: Identifier, entities: Iterable[Entity]) -> str:
    guilty = next(entity for entity in entities if entity.span.overlaps(gone.span))
    return f"{gone.kind}: {text[gone.span.slice]!r} in {guilty.kind} {text[guilty.span.slice]!r} ({guilty.reason})"


def report(measured: Measured, lived: Mapping[str, Survival]) -> dict[str, Any]:
    """What `--json` writes of one system."""
    technical = {
        name: {"share": result.share, "identifiers": sum(result.present.values()), "by_kind": _by_kind(result)}
        for name, result in lived.items()
    }
    return {
        **_scores(measured.total),
        "by_file": {name: _scores(scores) for name, scores in measured.by_file.items()},
        "by_language": {name: _scores(scores) for name, scores in sorted(measured.by_language.items())},
        "technical": technical,
        "cpu_ms_per_kb": {"p50": measured.cost(0.5), "p95": measured.cost(0.95)},
    }


def _by_kind(result: Survival) -> dict[str, dict[str, int]]:
    return {
        kind: {"present": count, "survived": result.survived.get(kind, 0)}
        for kind, count in sorted(result.present.items())
    }


def _scores(scores: SpanScores) -> dict[str, Any]:
    return {
        "overall": _figures(scores.overall),
        "strict": _figures(scores.strict),
        "strict_labelled": _figures(scores.strict_labelled),
        "partial": _figures(scores.partial),
        "by_entity": {
            label: {
                **_figures(score),
                "exact": _figures(scores.exact_by_label[label]),
                "partial": _figures(scores.partial_by_label[label]),
            }
            for label, score in scores.by_label.items()
        },
    }


def _figures(score: Score) -> dict[str, float]:
    return {
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "f2": round(score.f2, 4),
        "expected": score.expected,
        "predicted": score.predicted,
    }
