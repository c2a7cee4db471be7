"""Measure how mails are taken apart: quote, signature and disclaimer by line, ours beside a reply-parser library."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.domain.ticket import ContentType
from core.errors import DocumentUnreadable, MissingDependency
from core.evaluation.lines import LineScore, score_lines
from core.mail.clean import clean
from core.mail.html_text import html_to_text

PARTS = ("text", "quote", "signature", "disclaimer")
OURS, LIBRARY, NOTHING = "citedesk", "mail-parser-reply", "nothing stripped"
_LIBRARY_LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "sv", "cs", "da", "ja", "ko", "zh")
_SIGNATURE_BLOCK = re.compile(r"\s*(-- \n(?:.+\n?)*)")

Parts = Mapping[str, Sequence[str]]
Splitter = Callable[["LabelledMail"], Parts]


@dataclass(frozen=True, slots=True)
class LabelledMail:
    """A mail and the visible lines of each of its parts. `group` is the half of the set it belongs to."""

    mail_id: str
    group: str
    body: str
    content_type: ContentType
    parts: Parts
    subject: str = ""


def read_mails(file: Path) -> list[LabelledMail]:
    """Labelled mails of a JSON-lines file; raises `DocumentUnreadable` naming the line that cannot be read.

    A line holds `body`, `content_type` and `lines` (pairs of part and visible line), or `text` and `latest_message`
    as the threads of the robustness set do.
    """
    mails = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            mails.append(_labelled(record, file.stem) if "lines" in record else _thread(record, file.stem))
        except (ValueError, KeyError, TypeError) as error:
            raise DocumentUnreadable(f"{file.name}, line {number}: not a labelled mail") from error
    return mails


def _labelled(record: Mapping[str, Any], set_name: str) -> LabelledMail:
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    for part, line in record["lines"]:
        parts[part].append(line)
    group = " ".join(filter(None, (set_name, record.get("half"))))
    return LabelledMail(record["_id"], group, record["body"], ContentType(record["content_type"]), parts)


def _thread(record: Mapping[str, Any], set_name: str) -> LabelledMail:
    """Newest message, then a signature block that starts with its delimiter, then quotes to the end."""
    body, newest = record["text"], record["latest_message"]
    if not body.startswith(newest):
        raise ValueError
    rest = body[len(newest) :]
    block = _SIGNATURE_BLOCK.match(rest)
    signature = block.group(1) if block else ""
    quote = rest[block.end() :] if block else rest
    parts = {"text": newest.splitlines(), "signature": signature.splitlines(), "quote": quote.splitlines()}
    return LabelledMail(record["_id"], set_name, body, ContentType.TEXT, parts, record.get("subject", ""))


def ours(mail: LabelledMail) -> Parts:
    message = clean(mail.body, mail.content_type)
    return {
        "text": message.text.splitlines(),
        "quote": message.quoted.splitlines(),
        "signature": message.signature.splitlines(),
        "disclaimer": message.disclaimer.splitlines(),
    }


def systems(*, with_library: bool) -> dict[str, Splitter]:
    """By name; raises `MissingDependency` when the library is asked for and not installed."""
    others = {LIBRARY: library()} if with_library else {}
    return {OURS: ours, **others, NOTHING: nothing_stripped}


def has_gold(file: Path) -> bool:
    """Whether the first line of the file names documents that answer it."""
    with file.open(encoding="utf-8") as lines:
        return "gold" in json.loads(next(lines, "{}"))


def nothing_stripped(mail: LabelledMail) -> Parts:
    return {"text": visible_text(mail).splitlines()}


def visible_text(mail: LabelledMail) -> str:
    return html_to_text(mail.body) if mail.content_type is ContentType.HTML else mail.body


def library() -> Splitter:
    """The reply parser of the extra `eval`, given every language it knows; HTML reaches it as our visible text."""
    try:
        from mailparser_reply import EmailReplyParser
    except ImportError as error:
        raise MissingDependency("The reply parser to compare with is not installed.", hint=_INSTALL) from error
    parser = EmailReplyParser(languages=list(_LIBRARY_LANGUAGES))

    def split(mail: LabelledMail) -> Parts:
        visible = visible_text(mail)
        newest = parser.read(visible).replies[0]
        disclaimers = [line for text in newest.disclaimers for line in text.splitlines()]
        signature = _without(newest.signatures.splitlines(), disclaimers)
        stripped = _without(newest.content.splitlines(), [*signature, *disclaimers])
        text = [line for line in stripped if not line.startswith(">")]
        quote = _without(visible.splitlines(), [*text, *signature, *disclaimers])
        return {"text": text, "quote": quote, "signature": signature, "disclaimer": disclaimers}

    return split


_INSTALL = "pip install 'citedesk[eval]', or leave the comparison out with --without-library."


def _without(lines: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The lines whose stripped form is not among `taken`."""
    gone = {line.strip() for line in taken}
    return [line for line in lines if line.strip() not in gone]


@dataclass(frozen=True, slots=True)
class MailReport:
    """Of one group of mails and one splitter: the score of each part and the share of mails without any error."""

    group: str
    system: str
    mails: int
    scores: Mapping[str, LineScore]
    perfect: float

    def as_json(self) -> dict[str, Any]:
        parts = {
            part: {"precision": score.precision, "recall": score.recall, "f1": score.f1, "lines": score.expected}
            for part, score in self.scores.items()
        }
        return {"set": self.group, "system": self.system, "mails": self.mails, "perfect": self.perfect, "parts": parts}


def measure(mails: Sequence[LabelledMail], systems: Mapping[str, Splitter]) -> Iterator[MailReport]:
    """One report for each group and system, groups in the order of the mails."""
    for group in dict.fromkeys(mail.group for mail in mails):
        members = [mail for mail in mails if mail.group == group]
        for name, split in systems.items():
            yield _report(group, name, members, split)


def _report(group: str, system: str, mails: Sequence[LabelledMail], split: Splitter) -> MailReport:
    totals = dict.fromkeys(PARTS, LineScore())
    perfect = 0
    for mail in mails:
        scores = score_mail(mail, split)
        totals = {part: totals[part] + scores[part] for part in PARTS}
        perfect += all(score.f1 == 1.0 for score in scores.values())
    return MailReport(group, system, len(mails), totals, perfect / len(mails))


def score_mail(mail: LabelledMail, split: Splitter) -> dict[str, LineScore]:
    found = split(mail)
    return {part: score_lines(mail.parts.get(part, ()), found.get(part, ())) for part in PARTS}
