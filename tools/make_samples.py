"""Build `plugin/samples` (documents and tickets of the demo) from a folder with the data sets.

    python tools/make_samples.py DATA_FOLDER

The choice is fixed and the output is the same on every run. What is taken, changed and invented is told in
`plugin/samples/ATTRIBUTION.md`, which is written by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]

SAMPLES = Path(__file__).resolve().parents[1] / "plugin" / "samples"

QUESTIONS = (
    "sumo-1267520",
    "sumo-1268612",
    "sumo-1269877",
    "sumo-1274284",
    "sumo-1266344",
    "sumo-1286894",
    "sumo-1275596",
    "sumo-1275736",
)
SIGNED = ("sumo-1267520", "sumo-1268612", "sumo-1275596")
"""These get an invented signature with a telephone number."""
THREADS = ("thr-1272086", "thr-1284372")
HTML_MAIL = "rob-rich_html-1276734"
OFF_TOPIC = "aqt-085"
FIRST_ID = 1001

SOLVED = 100
SOLVED_PER_ARTICLE = 3
QUESTION_CHARS = (80, 1200)
ANSWER_CHARS = (80, 1500)

GIVEN_NAMES = (
    *("Maria", "Jonas", "Aisha", "Pierre", "Ingrid", "Tomasz", "Leila", "Owen", "Chiara", "Rahul", "Sofia", "Mateus"),
    *("Hanna", "Kenji", "Amara", "Lukas", "Elif", "Nora", "Diego", "Freya", "Samuel", "Yara", "Anton", "Grace"),
)
FAMILY_NAMES = (
    *("Lopez", "Lindqvist", "Rahman", "Moreau", "Haugen", "Nowak", "Farouk", "Bennett", "Ricci", "Iyer", "Castillo"),
    *("Almeida", "Virtanen", "Tanaka", "Okafor", "Weber", "Demir", "Larsen", "Vargas", "Kowalski", "Osei", "Haddad"),
)
SUPPORT = {"id": "support", "name": "Support", "email": "helpdesk@support.example.org"}

_QUOTE_HEADER = re.compile(r"On (\d{4}-\d\d-\d\d \d\d:\d\d), (.+) <(\S+)> wrote:")
_UNCLEAN = re.compile(r"\bsaid\s*\n|screenshot|personal information|@|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mail:
    """One message of a mail thread: what was written, and the quoted mail below it."""

    sender: str
    address: str
    sent_at: datetime
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with sumo-kb, sumo-tickets, robustness and astroquery-tickets")
    data: Path = parser.parse_args().data
    tickets = SAMPLES / "helpdesk" / "tickets"
    shutil.rmtree(tickets, ignore_errors=True)
    tickets.mkdir(parents=True)
    write_documents(data, SAMPLES / "docs.jsonl")
    for ticket in (*open_tickets(data), *solved_tickets(data)):
        text = json.dumps(ticket, ensure_ascii=False, indent=1)
        (tickets / f"{ticket['id']}.json").write_text(text + "\n", encoding="utf-8")


def write_documents(data: Path, target: Path) -> None:
    rows = read_rows(data / "sumo-kb" / "corpus.jsonl")
    with target.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(
                json.dumps({key: row[key] for key in ("_id", "title", "text", "url")}, ensure_ascii=False) + "\n"
            )


def read_rows(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def rows_by_id(path: Path) -> dict[str, Json]:
    return {row["_id"]: row for row in read_rows(path)}


# ---------------------------------------------------------------- open tickets


def open_tickets(data: Path) -> list[Json]:
    questions = rows_by_id(data / "sumo-kb" / "dev" / "queries.jsonl")
    threads = rows_by_id(data / "robustness" / "threads-dev.jsonl")
    mails = rows_by_id(data / "robustness" / "tickets-dev.jsonl")
    off_topic = rows_by_id(data / "astroquery-tickets" / "dev" / "queries.jsonl")
    tickets = [
        *(question_ticket(questions[key], invented_person(number)) for number, key in enumerate(QUESTIONS)),
        *(thread_ticket(threads[key]) for key in THREADS),
        html_ticket(mails[HTML_MAIL], invented_person(len(QUESTIONS))),
        off_topic_ticket(off_topic[OFF_TOPIC], invented_person(len(QUESTIONS) + 1)),
    ]
    return [{"id": str(FIRST_ID + number), **ticket} for number, ticket in enumerate(tickets)]


def question_ticket(row: Json, person: Json) -> Json:
    body = row["text"].removeprefix(row["title"]).lstrip("\n")
    if row["_id"] in SIGNED:
        body += f"\n\n-- \n{person['name']}\nTel. 555-010-{number_of(row['_id'], 10_000):04}"
    sent_at = moment(row["created"], row["_id"])
    return ticket(row["title"], person, [message("m1", "customer", body, sent_at, person)], row["url"])


def html_ticket(row: Json, person: Json) -> Json:
    sent_at = moment(row["created"], row["_id"])
    mail = {**message("m1", "customer", row["html"], sent_at, person), "content_type": "html"}
    return ticket(row["subject"], person, [mail], row["url"])


def off_topic_ticket(row: Json, person: Json) -> Json:
    sent_at = moment("2020-02-03", row["_id"])
    return ticket("Travel expenses", person, [message("m1", "customer", row["text"], sent_at, person)], "")


def thread_ticket(row: Json) -> Json:
    """Every quoted mail becomes a message of its own; the newest one keeps all that it quotes, as mails do."""
    name, address = re.fullmatch(r"(.+) <(\S+)>", row["sender"]).groups()  # type: ignore[union-attr]
    person = {"id": address.partition("@")[0], "name": name, "email": address}
    quoted = list(quoted_mails(row["text"]))
    newest = Mail(name, address, quoted[0].sent_at + timedelta(hours=2), row["text"])
    messages = []
    for number, mail in enumerate(reversed([newest, *quoted]), 1):
        author, writer = ("customer", person) if mail.address == address else ("agent", SUPPORT)
        messages.append(message(f"m{number}", author, mail.text, mail.sent_at, writer))
    return ticket(row["subject"].removeprefix("Re: "), person, messages, row["url"])


def quoted_mails(text: str) -> Iterator[Mail]:
    """The mails quoted in this one, newest first, each without what it quotes itself."""
    header = _QUOTE_HEADER.search(text)
    if header is None:
        return
    sent, sender, address = header.groups()
    below = text[header.end() :].strip("\n").split("\n")
    inner = "\n".join(re.sub(r"^> ?", "", line) for line in below)
    own = _QUOTE_HEADER.split(inner)[0].strip()
    yield Mail(sender, address, datetime.strptime(sent, "%Y-%m-%d %H:%M").replace(tzinfo=UTC), own)
    yield from quoted_mails(inner)


# ---------------------------------------------------------------- solved tickets


def solved_tickets(data: Path) -> list[Json]:
    taken = {key.rpartition("-")[2] for key in (*QUESTIONS, *THREADS, HTML_MAIL)}
    rows = read_rows(data / "sumo-tickets" / "corpus.jsonl")
    clean = [row for row in rows if ticket_number(row) not in taken and is_clean(row)]
    return [solved_ticket(row) for row in varied(clean)]


def varied(rows: Iterable[Json]) -> list[Json]:
    """The first by hash, with no article behind more than a few of them."""
    chosen: list[Json] = []
    per_article: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: hashlib.sha256(row["_id"].encode()).hexdigest()):
        if per_article[row["kb"][0]] < SOLVED_PER_ARTICLE and len(chosen) < SOLVED:
            per_article[row["kb"][0]] += 1
            chosen.append(row)
    return chosen


def is_clean(row: Json) -> bool:
    """An answer that links an article, and texts without quotations, screenshots and contact data."""
    lengths_fit = QUESTION_CHARS[0] <= len(row["question"]) <= QUESTION_CHARS[1] and all(
        ANSWER_CHARS[0] <= len(answer) <= ANSWER_CHARS[1] for answer in row["answers"]
    )
    texts = (row["title"], row["question"], *row["answers"])
    return bool(row["kb"] and row["answers"]) and lengths_fit and not any(_UNCLEAN.search(text) for text in texts)


def solved_ticket(row: Json) -> Json:
    asker = invented_person(number_of(f"asker {row['_id']}", len(GIVEN_NAMES) * len(FAMILY_NAMES)))
    asked = moment(row["created"], row["_id"])
    messages = [message("m1", "customer", row["question"], asked, asker)]
    for number, answer in enumerate(row["answers"], 2):
        messages.append(message(f"m{number}", "agent", answer, asked + timedelta(hours=number), SUPPORT))
    solved = {"id": ticket_number(row), **ticket(row["title"], asker, messages, row["url"])}
    return {**solved, "status": "solved", "solved_at": (asked + timedelta(days=1)).isoformat()}


def ticket_number(row: Json) -> str:
    return str(row["_id"].partition(":")[2])


# ---------------------------------------------------------------- the parts of a ticket


def ticket(subject: str, person: Json, messages: list[Json], url: str) -> Json:
    return {
        "subject": subject,
        "status": "open",
        "requester": person,
        "created_at": messages[0]["sent_at"],
        "url": url,
        "messages": messages,
    }


def message(message_id: str, author: str, body: str, sent_at: datetime, person: Json) -> Json:
    return {"id": message_id, "author": author, "body": body, "sent_at": sent_at.isoformat(), "person": person}


def invented_person(number: int) -> Json:
    """An invented one. The first 22 share no name; after 264 they repeat."""
    given, family = GIVEN_NAMES[number % len(GIVEN_NAMES)], FAMILY_NAMES[number % len(FAMILY_NAMES)]
    login = f"{given}.{family}".lower()
    return {"id": login, "name": f"{given} {family}", "email": f"{login}@example.org"}


def moment(day: str, key: str) -> datetime:
    """The real day at an invented time between 8:00 and 17:00 UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(hours=8, minutes=number_of(key, 540))


def number_of(key: str, below: int) -> int:
    """A number from 0 that depends on nothing but the key."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % below


if __name__ == "__main__":
    main()
