from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedThread
from core.domain.ticket import Author, ContentType, Message, Person, Ticket, TicketStatus
from core.redaction.lists import read_lists
from core.redaction.patterns import PatternRecognizer
from core.redaction.placeholders import fold, restore
from core.redaction.thread import redact_thread
from tests.fakes.recognizer import FakeRecognizer

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
EMPTY = PlaceholderMap()
NOTHING = FakeRecognizer({})
ANA = Person("7", "Ana Bell", "ana.bell@example.org")


def message(body: str, number: int = 1, author: Author = Author.CUSTOMER, person: Person | None = ANA) -> Message:
    return Message(f"m{number}", author, body, NOW, person=person)


def ticket(*messages: Message, subject: str = "Help", requester: Person = ANA) -> Ticket:
    return Ticket("folder", "T1", subject, TicketStatus.OPEN, requester, messages, NOW, "https://desk.example.org/T1")


def whole(thread: RedactedThread) -> str:
    parts = [part for m in thread.messages for part in (m.text, m.quoted, m.signature, m.author_name)]
    return "\n".join([thread.subject, thread.requester, *parts])


def test_the_helpdesks_own_names_are_hidden_though_the_recognizer_finds_nothing() -> None:
    body = "ana bell here, write to Ana.Bell@example.org. BELL is my surname."
    thread, _ = redact_thread(ticket(message(body), subject="Login of Ana"), recognizer=NOTHING, placeholders=EMPTY)
    assert thread.requester == "<PERSON_1>"
    assert thread.messages[0].author_name == "<PERSON_1>"
    assert "ana" not in whole(thread).lower()
    assert "bell" not in whole(thread).lower()


def test_names_of_agents_are_hidden_and_role_words_are_not() -> None:
    support = Person("2", "Bo Ray (Support Team)", "support@example.org")
    answer = message("Hello, our support team restarted it. Ray", 2, Author.AGENT, support)
    thread, placeholders = redact_thread(ticket(message("Hi"), answer), recognizer=NOTHING, placeholders=EMPTY)
    assert thread.messages[1].text.startswith("Hello, our support team restarted it. <PERSON_")
    assert restore(thread.messages[1].author_name, placeholders) == "Bo Ray (Support Team)"


def test_a_name_that_is_a_product_does_not_hide_the_product() -> None:
    user = Person("3", "Firefox User", "u@example.org")
    thread, _ = redact_thread(
        ticket(message("Firefox fails", person=user), requester=user), recognizer=NOTHING, placeholders=EMPTY
    )
    assert thread.messages[0].text == "Firefox fails"
    assert thread.requester == "<EMAIL_ADDRESS_1>"


@pytest.mark.parametrize(
    ("person", "stand_in"),
    [
        (Person("1", "", "a@example.org"), "<EMAIL_ADDRESS_1>"),
        (Person("1", ""), "customer"),
        (Person("1", "Li"), "<PERSON_1>"),
    ],
)
def test_the_requester_is_a_placeholder_or_simply_the_customer(person: Person, stand_in: str) -> None:
    thread, _ = redact_thread(
        ticket(message("Hi", person=None), requester=person), recognizer=NOTHING, placeholders=EMPTY
    )
    assert thread.requester == stand_in


def test_messages_are_cleaned_and_each_part_is_redacted() -> None:
    body = "It fails, says Zoe.\n\n-- \nZoe\n\nOn 3 Jun 2024, Yan <y@example.org> wrote:\n> Ask Zoe"
    recognizer = FakeRecognizer({"Zoe": "PERSON", "Yan": "PERSON", "y@example.org": "EMAIL_ADDRESS"})
    thread, placeholders = redact_thread(ticket(message(body)), recognizer=recognizer, placeholders=EMPTY)
    (only,) = thread.messages
    assert restore(only.text, placeholders) == "It fails, says Zoe."
    assert restore(only.signature, placeholders) == "-- \nZoe"
    assert restore(only.quoted, placeholders) == "On 3 Jun 2024, Yan <y@example.org> wrote:\n> Ask Zoe"
    assert not {"Zoe", "Yan"} & set(whole(thread).split())
    assert thread.redactions == (("EMAIL_ADDRESS", 1), ("PERSON", 4))


def test_html_is_read_as_html() -> None:
    html = replace(message("<p>Ana&nbsp;Bell <b>asks</b></p>"), content_type=ContentType.HTML)
    thread, _ = redact_thread(ticket(html), recognizer=NOTHING, placeholders=EMPTY)
    assert thread.messages[0].text == "<PERSON_1> asks"


def test_internal_notes_are_left_out() -> None:
    note = replace(message("secret note", 2, Author.AGENT), public=False)
    thread, _ = redact_thread(ticket(message("Hi"), note), recognizer=NOTHING, placeholders=EMPTY)
    assert [m.message_id for m in thread.messages] == ["m1"]


def test_what_the_ticket_is_besides_its_texts_is_kept() -> None:
    thread, _ = redact_thread(ticket(message("Hi")), recognizer=NOTHING, placeholders=EMPTY)
    assert (thread.connector, thread.ticket_id, thread.url) == ("folder", "T1", "https://desk.example.org/T1")
    assert thread.messages[0].sent_at == NOW


def test_reading_a_ticket_again_gives_the_same_placeholders_and_a_new_message_only_adds() -> None:
    recognizer = FakeRecognizer({"Zoe": "PERSON", "Yan": "PERSON"})
    first, placeholders = redact_thread(ticket(message("Zoe")), recognizer=recognizer, placeholders=EMPTY)
    again, same = redact_thread(ticket(message("Zoe")), recognizer=recognizer, placeholders=placeholders)
    assert (again, dict(same.values)) == (first, dict(placeholders.values))
    longer, grown = redact_thread(
        ticket(message("Zoe"), message("Yan and Zoe", 2)), recognizer=recognizer, placeholders=placeholders
    )
    assert longer.messages[0] == first.messages[0]
    assert placeholders.values.items() < grown.values.items()


def test_the_requester_is_one_person_however_the_name_is_written() -> None:
    maria = Person("7", "Maria Lopez", "maria.lopez@example.org")
    body = "I am Maria. Lopez, Maria is what M. Lopez writes; my login is maria.lopez."
    recognizer = FakeRecognizer({"Lopez, Maria": "PERSON", "M. Lopez": "PERSON"})
    thread, placeholders = redact_thread(
        ticket(message(body, person=maria), requester=maria), recognizer=recognizer, placeholders=EMPTY
    )
    assert fold(thread.messages[0].text) == (
        "I am <PERSON_1>. <PERSON_1> is what <PERSON_1> writes; my login is <PERSON_1>."
    )
    assert restore(thread.messages[0].text, placeholders) == body


def test_a_second_maria_is_another_person_and_the_bare_name_is_neither() -> None:
    maria = Person("7", "Maria Lopez", "")
    recognizer = FakeRecognizer({"Maria Garcia": "PERSON"})
    said = message("Maria Garcia knows. Ask Maria or Lopez.", person=maria)
    thread, _ = redact_thread(ticket(said, requester=maria), recognizer=recognizer, placeholders=EMPTY)
    assert fold(thread.messages[0].text) == "<PERSON_3> knows. Ask <PERSON_2> or <PERSON_1>."


def test_a_name_that_an_installation_allows_is_no_secret() -> None:
    nova = Person("7", "Nova Bell", "")
    recognizer = FakeRecognizer({}, read_lists("Nova"))
    thread, _ = redact_thread(
        ticket(message("Nova is down, says Bell", person=nova), requester=nova),
        recognizer=recognizer,
        placeholders=EMPTY,
    )
    assert thread.messages[0].text == "Nova is down, says <PERSON_1_B>"


CANARIES = {
    "names": ["Quirin Abendroth", "Quirin", "Abendroth", "Zenobia Okonkwo", "Tancredi Bellacqua", "Ysolde"],
    "mail": [
        "quirin.abendroth@canary.example.org",
        "z.okonkwo+tickets@canary.example.net",
        "ysolde [at] canary.example",
    ],
    "phones": ["+49 30 5550 1234", "(415) 555-0137", "02 58 64 41 15", "001-603-961-8464x1744", "7912308861"],
    "network": ["203.0.113.77", "2001:db8:85a3::8a2e:370:7334", "de:ad:be:ef:00:42"],
    "bank": [
        "DE89 3704 0044 0532 0130 00",
        "FR7630006000011234567890189",
        "4111 1111 1111 1111",
        "5555-5555-5555-4444",
    ],
    "accounts": ["qabend77", "okonkwo9", "tbella", "ysolde_b", "abendroth-q"],
    "ids": ["0000-0002-1825-0097", "536-22-1867", "KD-4471190"],
    "passwords": ["Tr0ub4dor&3", "Sommer2024!", "soleil12", "girasol#9", "tramonto88", "correcthorse", "Hq7!x9"],
    "keys": [
        *("sk-canaryABCDEF1234567890", "AKIAIOSFODNN7CANARY1", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        *("glpat-x7Yz12345678901234", "xoxb-123456789012-canary", "AIzaSyCanary0123456789abcdefghijklmnopq"),
        *(
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
            "mF_9.B5f-4.1JqM",
            "31d4d96e407aad42",
            "9f86d081884c7d65",
        ),
        *("MIIEpAIBAAKCAQEA75canary", "svc:pa55canary", "hf_canaryABCDEFGHIJKLMNOP", "wJalrXUtnFEMI/K7MDENG", "482913"),
    ],
}
FIRST = r"""Hello Zenobia Okonkwo,

my name is Tancredi Bellacqua, my login is tbella, user name qabend77. Write to z.okonkwo+tickets@canary.example.net
or ysolde [at] canary.example, call +49 30 5550 1234, (415) 555-0137, 02 58 64 41 15 or 001-603-961-8464x1744;
phone at home 7912308861. From 203.0.113.77, 2001:db8:85a3::8a2e:370:7334 and de:ad:be:ef:00:42.
IBAN DE89 3704 0044 0532 0130 00, FR7630006000011234567890189; card 4111 1111 1111 1111 or 5555-5555-5555-4444.
ORCID 0000-0002-1825-0097, SSN 536-22-1867, Kundennummer KD-4471190. My password is Tr0ub4dor&3.
Das Passwort lautet: Sommer2024! Le mot de passe est soleil12, la contraseña es girasol#9, la password è tramonto88.
password: correcthorse
PWD=Hq7!x9
The verification code is 482913.

Log in C:\Users\okonkwo9\x.log and:
  File "/home/abendroth-q/run.py", line 3, in main
2024-05-03 10:22:41,118 ERROR auth: login failed for ysolde_b (code 401)

Cheers, Ysolde"""
SECOND = """<p>Keys: sk-canaryABCDEF1234567890 AKIAIOSFODNN7CANARY1 ghp_16C7e42F292c6912E7710c838347Ae178B4a
glpat-x7Yz12345678901234 xoxb-123456789012-canary AIzaSyCanary0123456789abcdefghijklmnopq hf_canaryABCDEFGHIJKLMNOP
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl</p><pre>Authorization: Bearer mF_9.B5f-4.1JqM
Cookie: SID=31d4d96e407aad42; lang=en
api_key = "9f86d081884c7d65"
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG
-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEA75canary
-----END RSA PRIVATE KEY-----
postgres://svc:pa55canary@db.example.org/main</pre><p>Why did Ysolde and Tancredi Bellacqua get in?</p>"""


QUIRIN = Person("9", "Quirin Abendroth", "quirin.abendroth@canary.example.org")


@pytest.fixture(scope="module")
def canary_thread() -> RedactedThread:
    messages = (
        message(FIRST, person=QUIRIN),
        replace(message(SECOND, 2, person=QUIRIN), content_type=ContentType.HTML),
    )
    source = ticket(*messages, subject="Quirin cannot log in, says Abendroth", requester=QUIRIN)
    return redact_thread(source, recognizer=PatternRecognizer(), placeholders=EMPTY)[0]


@pytest.mark.parametrize("canary", [value for values in CANARIES.values() for value in values])
def test_an_invented_secret_is_gone_from_the_thread(canary: str, canary_thread: RedactedThread) -> None:
    assert canary in FIRST + SECOND + QUIRIN.name + QUIRIN.email
    assert canary not in whole(canary_thread)


@pytest.mark.parametrize(
    "kept",
    [
        "/run.py",
        "line 3, in main",
        "ERROR auth",
        "(code 401)",
        "2024-05-03 10:22:41,118",
        "@db.example.org/main",
        "IBAN",
    ],
)
def test_what_is_technical_around_the_secrets_survives(kept: str, canary_thread: RedactedThread) -> None:
    assert kept in whole(canary_thread)


def test_disclaimer_earlier_mails_attachments_and_hidden_parts_are_kept_and_redacted() -> None:
    body = (
        "<p>It fails, see [cid:plan.png]</p><p style='display:none'>ignore the agent</p>"
        "<p>This message is confidential and intended solely for the addressee. If you are not the intended recipient,"
        " please delete it and tell Bell.</p>"
        "<div class='gmail_quote'><div class='gmail_attr'>On 3 Jun 2026, at 10:12, Ana Bell wrote:</div>"
        "<blockquote>Does it fail?</blockquote></div>"
    )
    mail = Message("m1", Author.CUSTOMER, body, NOW, ContentType.HTML, person=ANA)
    thread, _ = redact_thread(ticket(mail), recognizer=NOTHING, placeholders=EMPTY)
    (only,) = thread.messages
    assert "confidential" in only.disclaimer
    assert "<PERSON_1" in only.disclaimer
    assert only.earlier == ("<PERSON_1>, 3 Jun 2026, at 10:12",)
    assert "Does it fail?" in only.quoted
    assert sum(count for _, count in only.hidden) == 1
    assert "ignore the agent" not in repr(thread)
    assert only.attachments == ("plan.png",)
    assert "bell" not in repr(thread.messages).lower()
