"""Writes docs/redaction_examples.md, one ticket in each of six languages before and after.

    python -m tools.redaction_examples

The tickets are invented. They are redacted by the product's own recognizer, so this needs the models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from core.domain.redaction import Entity, PlaceholderMap
from core.domain.ticket import Author, ContentType, Message, Person, Ticket, TicketStatus
from core.ports import EntityRecognizer
from core.redaction.thread import redact_thread
from plugin.bootstrap import open_services
from plugin.settings import Settings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "redaction_examples.md"
NOTE = "<!-- Written by `python -m tools.redaction_examples`; edits here are lost. -->"

LANGUAGES: Mapping[str, tuple[str, str]] = {
    "English": (
        "Siobhan O'Rourke",
        """Dear Mr Adeyemi,

my job on NGC 6397 (programme 0102.A-0123(B), OB 2345671) dies with error P2-1042 since version 4.2.1:

2026-11-28 09:14:03 ERROR cannot reach archive from 134.171.40.12
  File "/home/sorourke/pipeline/reduce.py", line 42, in <module>

I use the password moonlit-Harbour7 and the token ghp_a81Bc9dEf0GhIjKlMnOpQrStUvWxYz123456.
Please call me: 020 7946 0018, 14 Rosslyn Hill, London NW3 1PF.

Kind regards,
Siobhan O'Rourke
siobhan.orourke@uni.example""",
    ),
    "German": (
        "Jürgen Weißhaupt",
        """Sehr geehrte Frau Özdemir,

seit gestern fehlt mir zu HD 209458 (RA 22:03:10.77, Dec +18:53:03.5) die Datei UVES.2019-04-12T03:44:51.123.fits.
Mein Kennwort lautet Sommer!2026, die Rechnung bitte an die IBAN DE89 3704 0044 0532 0130 00.
Anschrift: Lindenstraße 12b, 80469 München, Telefon 089 / 3200 6354, geboren am 12.03.1985.

Viele Grüße
Jürgen Weißhaupt""",
    ),
    "French": (
        "Aurélie Lemoine",
        """Bonjour Madame Bernardin,

le script `query_region("M 31", radius=0.1 * u.deg)` renvoie ReadTimeoutError avec astroquery 0.4.7.
Vous pouvez me joindre au 06 12 34 56 78 ou à a.lemoine@labo.example. J'habite 27 rue des Écoles, 75005 Paris.
Mon mot de passe est : Nuage-bleu9

Cordialement,
Aurélie Lemoine""",
    ),
    "Spanish": (
        "Íñigo Echeverría",
        """Estimada Sra. Villanueva:

No puedo entrar en https://portal.observatory.example/users/iecheverria/proposals desde la IP 10.20.30.40.
Mi DNI es 12345678Z y mi teléfono +34 612 345 678. Vivo en la Calle Mayor 5, 28013 Madrid.
El programa es 0104.C-0555(A) y el instrumento X-shooter, modo SLT.

Un saludo,
Íñigo Echeverría""",
    ),
    "Italian": (
        "Ludovica Marchetti",
        """Gentile dottor Ferrante,

il file MUSE.2020-02-01T05:12:33.400.fits ha md5 9e107d9d372bb6826bd81d3542a419d6 ma il catalogo ne indica un altro.
Codice fiscale MRCLVC85C52F205J, carta 4539 1488 0343 6467, cellulare 347 123 4567, via Garibaldi 18, 20121 Milano.

Cordiali saluti
Ludovica Marchetti""",
    ),
    "Portuguese": (
        "Gonçalo Figueiredo",
        """Cara Dra. Teixeira,

o pedido 200312 para Gaia DR3 4472832130942575872 ficou parado em EXECUTING às 14:05.
O meu NIF é 123456789, o telemóvel 912 345 678 e a morada Rua do Ouro 33, 1100-061 Lisboa.
A palavra-passe era Sardinha#2026.

Com os melhores cumprimentos,
Gonçalo Figueiredo""",
    ),
}


class Remembering:
    """A recognizer that keeps what it found, so that the page can say why."""

    def __init__(self, inner: EntityRecognizer) -> None:
        self._inner = inner
        self.component, self.lists = inner.component, inner.lists
        self.found: list[tuple[str, Entity]] = []

    def recognize(self, text: str) -> list[Entity]:
        entities = self._inner.recognize(text)
        self.found += [(text[entity.span.slice], entity) for entity in entities]
        return entities


def main() -> None:
    with TemporaryDirectory() as folder:
        services = open_services(Settings(data_dir=Path(folder)))
        try:
            sections = [_section(language, services.recognizer) for language in LANGUAGES]
        finally:
            services.close()
    intro = (
        "Invented tickets, redacted by the product as installed. Placeholders stand for values that lie in the vault."
    )
    PAGE.write_text("\n".join([f"{NOTE}\n\n# A ticket before and after, in six languages\n\n{intro}\n", *sections]))


def _section(language: str, inner: EntityRecognizer) -> str:
    name, body = LANGUAGES[language]
    recognizer = Remembering(inner)
    thread, _ = redact_thread(_ticket(name, body), recognizer=recognizer, placeholders=PlaceholderMap())
    (message,) = thread.messages
    parts = [part for part in (message.text, message.signature, message.quoted) if part]
    return "\n".join(
        [
            f"## {language}\n\n### Before\n\n```text\n{body}\n```\n",
            "### After\n\n```text\n" + "\n\n".join(parts) + "\n```\n",
            "### Why\n\n| found | kind | by |\n|---|---|---|",
            *_reasons(recognizer),
            "",
        ]
    )


def _ticket(name: str, body: str) -> Ticket:
    at = datetime(2026, 11, 28, 9, tzinfo=UTC)
    person = Person("p1", name)
    message = Message("m1", Author.CUSTOMER, body, at, ContentType.TEXT, person)
    return Ticket("folder", "1", "", TicketStatus.OPEN, person, (message,), at)


def _reasons(recognizer: Remembering) -> Iterator[str]:
    """Each value once, with the best-scored reason; the helpdesk's own name of the customer needs none."""
    best: dict[str, Entity] = {}
    for value, entity in recognizer.found:
        if value not in best or entity.score > best[value].score:
            best[value] = entity
    for value, entity in best.items():
        shown = " ".join(value.split()).replace("|", "\\|").replace("`", "'")
        yield f"| `{shown}` | {entity.kind} | {entity.reason} |"


if __name__ == "__main__":
    main()
