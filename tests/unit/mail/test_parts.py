"""Mails as people send them, read part by part."""

import time

import pytest

from core.domain.ticket import ContentType
from core.mail.clean import CleanMessage, Forwarded, clean
from core.mail.history import QuotedMessage
from core.mail.verbatim import verbatim_lines, verbatim_spans


def clean_text(body: str, subject: str = "") -> CleanMessage:
    return clean(body, ContentType.TEXT, subject=subject)


HEADERS = "From: Bo Ek <bo@example.org>\nSent: Monday, 2 March 2026 10:00\nTo: Ana\nSubject: broken"


def test_the_earlier_mails_are_told_apart_with_authors_and_dates() -> None:
    body = (
        "Still broken.\n\nOn 3 Jun 2024 at 09:14, Bo Ek <bo@example.org> wrote:\n> Restart it.\n>\n"
        "> On 2 Jun 2024 at 08:00, Ana Bell wrote:\n>> It fails.\n"
    )
    assert clean_text(body).history == (
        QuotedMessage("Bo Ek", "3 Jun 2024 at 09:14", "Restart it.", 1),
        QuotedMessage("Ana Bell", "2 Jun 2024 at 08:00", "It fails.", 2),
    )


def test_earlier_mails_below_header_blocks_are_told_apart() -> None:
    older = HEADERS.replace("Bo Ek", "Ana Bell").replace("2 March", "1 March")
    history = clean_text(f"No.\n\n{HEADERS}\n\nRestart it.\n\n{older}\n\nIt fails.").history
    assert [(message.author, message.sent, message.text, message.depth) for message in history] == [
        ("Bo Ek", "Monday, 2 March 2026 10:00", "Restart it.", 1),
        ("Ana Bell", "Monday, 1 March 2026 10:00", "It fails.", 2),
    ]


def test_a_quoted_mail_that_is_answered_in_pieces_is_one_mail() -> None:
    body = "On 3 Jun 2024, Bo <b@example.org> wrote:\n> Which?\n128\n> Where?\nHome"
    assert clean_text(body).history == (QuotedMessage("Bo", "3 Jun 2024", "Which?\nWhere?", 1),)


def test_an_attribution_inside_its_own_quotation_is_not_one_level_deeper() -> None:
    message = clean_text("Hello\n\n> On 3 Jun 2024, at 9:00, Bo <b@example.org> wrote:\n> \n> Hi")
    assert message.history == (QuotedMessage("Bo", "3 Jun 2024, at 9:00", "Hi", 1),)


@pytest.mark.parametrize(
    ("attribution", "author"),
    [
        ("Max Muster <m@example.org> schrieb am Do., 12. März 2026, 10:12:", "Max Muster"),
        ("Am 10.03.26 um 09:41 schrieb Max Muster:", "Max Muster"),
        ("Am Montag, 2. März 2026 um 10:00:13 MEZ hat Max <m@example.org> Folgendes geschrieben:", "Max"),
        ("wt., 10 mar 2026 o 09:41 Ewa Nowak <e@example.org> napisał(a):", "Ewa Nowak"),
        ("2026年3月10日(火) 9:41 田中太郎 <t@example.org>:", "田中太郎"),
        ('26.06.2014, 14:41, "Ivan P" <i@example.org>:', "Ivan P"),
        ("Bo Ek <bo@example.org> writes:", "Bo Ek"),
        ("On Mon, Mar 2, 2026 at 9:41\u202fAM Bo Ek <bo@example.org> wrote:", "Bo Ek"),
        ("On Monday, March 2, 2026 at 09:41:13 AM GMT+1,\nBo Ek\n<bo@example.org>\nwrote:", "Bo Ek"),
    ],
)
def test_who_wrote_is_read_from_the_attribution(attribution: str, author: str) -> None:
    message = clean_text(f"No.\n\n{attribution}\n> Restart it.")
    assert message.text == "No."
    assert [earlier.author for earlier in message.history] == [author]


@pytest.mark.parametrize(
    "body",
    [
        "Am 12.03.2026 schrieb ich Ihnen:\nDer Export geht nicht.",
        "The form shows\nFrom: Paris\nTo: Rome\nDate: Monday\nand fails.",
        "Its headers:\n\nFrom: a@x.org\nTo: b@x.org\nSubject: T\nDate: Monday\nMessage-ID: <1@x.org>\n\nWhy?",
        "Outlook with a reply\nis what fails: it shows nothing.",
        "Sent from the server to my phone, it arrives.\nBut late.",
        "Steps:\n--\nExpected: is it written?",
        "Server: web01\nIP: 10.0.0.1\nUser: max\nPhone: none",
        "Thanks\n\nI tried that. It fails with code 5.\nWhat else?",
        "Can I delete this confidential message by mistake? Will the addressee see it?",
    ],
)
def test_what_only_looks_like_furniture_of_a_mail_is_text(body: str) -> None:
    assert clean_text(body) == CleanMessage(body, "", "")


def test_courtesy_above_a_delimiter_without_a_name_is_text() -> None:
    assert clean_text("It fails.\nThanks in advance.\n\n-- \nAna").text == "It fails.\nThanks in advance."


def test_a_warning_about_mail_from_outside_is_no_text() -> None:
    banner = "CAUTION: This email originated from outside the organization."
    message = clean_text(f"{banner}\n\nIt fails.")
    assert (message.text, message.disclaimer) == ("It fails.", banner)
    assert clean_text(f"It fails.\n\nI see this:\n\n{banner}\n\nWhy?").disclaimer == ""


@pytest.mark.parametrize("subject", ["FW: broken", "WG: kaputt", "Fwd: x", "TR : x".replace(" :", ":")])
def test_the_subject_tells_a_forwarded_mail_from_an_earlier_one(subject: str) -> None:
    body = f"Please help.\n\n{HEADERS}\n\nIt is broken."
    message = clean_text(body, subject)
    assert (message.text, message.quoted) == (body, "")
    assert message.forwarded == Forwarded("Bo Ek", "Monday, 2 March 2026 10:00")
    assert clean_text(body, "Re: broken").text == "Please help."


@pytest.mark.parametrize(
    "marker",
    [
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "Anfang der weitergeleiteten Nachricht:",
        "-------- Message transféré --------",
        "----- Forwarded by Max Muster/ACME on 02.03.2026 -----",
        "> Inicio del mensaje reenviado:",
    ],
)
def test_a_signature_above_a_forwarded_mail_is_folded_and_the_mail_is_not(marker: str) -> None:
    message = clean_text(f"See below.\n\nRegards,\nAna Bell\n\n{marker}\n\nIt fails.\n\nRegards,\nBo")
    assert message.signature == "Regards,\nAna Bell"
    assert message.text == f"See below.\n\n{marker}\n\nIt fails.\n\nRegards,\nBo"
    assert message.forwarded is not None


def test_names_of_attachments_are_told() -> None:
    body = 'See [cid:image001.png@01DA.1] <run.log>\nAnlagen: a.csv; b c.pdf (2 MB)\n[attachment "x.zip" deleted by Bo]'
    assert clean_text(body).attachments == ("image001.png", "run.log", "a.csv", "b c.pdf", "x.zip")
    assert clean_text("Mail <bo@example.org> or see <https://example.org/a.pdf>").attachments == ()


VERBATIM = [
    "Traceback (most recent call last):",
    '  File "run.py", line 88, in <module>',
    "OSError: no space left",
    "$ systemctl status worker",
    "user@host:~$ ls",
    "C:\\temp> dir",
    "2026-03-10 09:38:01,120 INFO worker starting",
    "Mar 10 09:38:01 host sshd[812]: accepted",
    "[export]",
    "limit = 5000",
    '{"limit": 5000}',
    "SELECT name FROM users",
    "diff --git a/x b/x",
    "    at org.example.Main.run(Main.java:8)",
]


@pytest.mark.parametrize("line", VERBATIM)
def test_code_and_logs_are_verbatim(line: str) -> None:
    assert verbatim_lines(["It says", "", line]) == [False, False, True]


@pytest.mark.parametrize(
    "line", ["Tel: +49 40 1234567", "From: Ana Bell", "I see an error (no 5).", "    Ana Bell", "> Hi"]
)
def test_prose_and_mail_furniture_are_not_verbatim(line: str) -> None:
    assert verbatim_lines(["It says", "", line]) == [False, False, False]


def test_spans_cover_neighbouring_lines_without_the_last_break() -> None:
    text = "See:\r\n$ ls -l\r\nOSError: x\r\nWhy?\n[a]"
    assert [text[span.slice] for span in verbatim_spans(text)] == ["$ ls -l\r\nOSError: x", "[a]"]
    assert verbatim_spans("") == ()


ATTACKS = [
    "a",
    " ",
    ">",
    "<",
    "(",
    "-",
    "x@",
    "On 1, <a@b.c> ",
    "12:34 ",
    "[cid:",
    "a.log ",
    "Thanks, ",
    "a = ",
    "copying ",
]


@pytest.mark.parametrize("piece", ATTACKS)
def test_a_long_line_costs_no_more_than_its_length(piece: str) -> None:
    """200 kB take tenths of a second; in a time that grew with the square they would take minutes."""
    line = piece * (200_000 // len(piece))
    started = time.process_time()
    clean_text(f"{line}\n\nThanks,\n{line}:")
    assert time.process_time() - started < 2


def test_many_lines_cost_no_more_than_their_number() -> None:
    started = time.process_time()
    clean_text("confidential, delete it\n" * 8_000)
    assert time.process_time() - started < 2
