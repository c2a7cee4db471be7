from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.ticket import ContentType
from core.mail.clean import CleanMessage, Forwarded, clean


def clean_text(body: str) -> CleanMessage:
    return clean(body, ContentType.TEXT)


def visible_lines(*texts: str) -> Counter[str]:
    return Counter(line.strip() for text in texts for line in text.splitlines() if line.strip())


ATTRIBUTIONS = [
    "On Mon, 3 Jun 2024 at 09:14, Ana Bell <ana@example.org> wrote:",
    "On 2019-09-04 03:18, Support <helpdesk@support.example.org> wrote:",
    "Am 12.03.2024 um 08:41 schrieb Gundolf Oder <g.oder@example.org>:",
    "Le lun. 4 mars 2024 à 10:02, Manon Moreau <m.moreau@example.org> a écrit :",
    "El 5 jun 2024, Lope Amor <lope@example.org> escribió:",
    "Il giorno lun 3 giu 2024 alle ore 09:14 Sandro Neri <neri@example.org> ha scritto:",
    "Em seg., 3 de jun. de 2024 às 09:14, Rui Melo <rui@example.org> escreveu:",
    "On Mon, 3 Jun 2024 at 09:14, Ana Bell\n<ana@example.org> wrote:",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_an_attribution_and_the_quote_below_it_are_folded(attribution: str) -> None:
    message = clean_text(f"It still fails.\n\n{attribution}\n> Have you restarted?\n> Try mode 2.\n")
    assert message.text == "It still fails."
    assert message.quoted == f"{attribution}\n> Have you restarted?\n> Try mode 2."


def test_a_quote_without_marks_below_an_attribution_is_folded_to_the_end() -> None:
    message = clean_text("Same here.\n\nOn 3 Jun 2024, Ana <a@example.org> wrote:\nPlease restart.\n\nBye")
    assert message.text == "Same here."
    assert message.quoted.endswith("Bye")


def test_a_sentence_that_starts_like_an_attribution_is_text() -> None:
    body = "On Monday 3 June the manual wrote:\nuse mode 2\n> quoted"
    assert clean_text("On page 3 somebody wrote nothing about it.\nWhy?").quoted == ""
    assert "use mode 2" in clean_text(body + "\nuse mode 2").text


def test_answers_between_quoted_lines_stay_text() -> None:
    message = clean_text(
        "On 3 Jun 2024, Ana <a@example.org> wrote:\n> Which version?\n128.0\n> Which system?\nDebian 13\n"
    )
    assert message.text == "128.0\nDebian 13"
    assert message.quoted.splitlines()[1:] == ["> Which version?", "> Which system?"]


@pytest.mark.parametrize(
    "headers",
    [
        "From: Support\nSent: Monday\nTo: Ana\nSubject: Re: x",
        "*Von:* Support\n*Gesendet:* Montag\n*An:* Ana\n*Betreff:* AW: x",
        "De : Support\nEnvoyé : lundi\nÀ : Ana\nObjet : RE: x",
        "De: Soporte\nEnviado: lunes\nPara: Ana\nAsunto: RE: x",
        "Da: Assistenza\nInviato: lunedì\nA: Ana\nOggetto: R: x",
        "De: Suporte\nEnviada: segunda\nPara: Ana\nAssunto: RE: x",
        "-----Original Message-----\nFrom: Support",
        "-----Ursprüngliche Nachricht-----\nVon: Support",
        "________________________________\nFrom: Support\nDate: Monday\nTo: Ana",
    ],
)
def test_everything_from_a_block_of_mail_headers_on_is_folded(headers: str) -> None:
    message = clean_text(f"No, it does not.\n\n{headers}\n\nDoes it work now?")
    assert message.text == "No, it does not."
    assert message.quoted == f"{headers}\n\nDoes it work now?"


def test_two_header_like_lines_are_no_block() -> None:
    assert clean_text("The page shows\nFrom: Paris\nTo: Rome\nand nothing else").quoted == ""


def test_a_forwarded_mail_is_what_the_message_is_about() -> None:
    forwarded = "---------- Forwarded message ---------\nFrom: Ana\nDate: x\nSubject: y\nTo: z\n\nIt fails."
    body = f"Please see below.\n\n{forwarded}"
    assert clean_text(body).text == body
    assert clean_text(body).forwarded == Forwarded("Ana", "x")


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nJonas Novak\nExample Street 3\nTel. 555-010-1121",
        "Best regards,\nKatja Brandt\nInstitute for Imaginary Optics",
        "Mit freundlichen Grüßen\nDorota Etzold",
        "Cordialement,\nHortense Descamps",
        "Un saludo,\nEncarnita Garcés",
        "Cordiali saluti,\nLiberto Sinisi",
        "Com os melhores cumprimentos,\nRui Melo",
        "thanks\njohn",
        "Cheers, Colleen",
        "Sent from my iPhone",
        "Mit freundlichem Gruß\n\nMax Muster\nLeiter IT\n\nMuster AG\nTelefon +49 30 1234567",
        "Med vänliga hälsningar\nKarin Öberg",
        "Z poważaniem\nPaweł Zieliński",
        "よろしくお願いいたします。\n佐藤 恵子",
        "Thanks and best regards,\nAna",
        "Viele Grüße aus Hamburg\nMax",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Get Outlook for iOS",
        "Verstuurd vanaf mijn iPhone",
        "iPhoneから送信",
        "/John",
        "____________________\nusers mailing list\nusers@lists.example.org",
        "Katherine Hollis\nHead of Data\nExample Ltd\nT +44 117 496 0123",
    ],
)
def test_a_signature_is_folded(signature: str) -> None:
    assert clean_text(f"Where is the log?\n\n{signature}") == CleanMessage("Where is the log?", "", signature)


@pytest.mark.parametrize(
    "body",
    [
        "Thanks\nIt works now but the second window does not open. Why?\nAnd the third?",
        "Best regards",
        "Thank you very much in advance\nHow do I export\nthe table?",
    ],
)
def test_a_closing_phrase_that_no_name_follows_is_text(body: str) -> None:
    assert clean_text(body).text == body


def test_a_postscript_after_the_signature_is_text() -> None:
    message = clean_text("It fails.\n\nRegards,\nAna Bell\n\nPS: only on Linux")
    assert message.text == "It fails.\n\nPS: only on Linux"
    assert message.signature == "Regards,\nAna Bell"


def test_a_signature_between_text_and_quote_is_folded() -> None:
    message = clean_text("Done.\n\n-- \nAna Bell\n\nOn 3 Jun 2024, Bo <b@example.org> wrote:\n> Please restart")
    assert (message.text, message.signature) == ("Done.", "-- \nAna Bell")


def test_a_disclaimer_is_folded_and_a_question_about_confidentiality_is_not() -> None:
    disclaimer = "This e-mail is confidential and intended solely for the addressee."
    message = clean_text(f"It fails.\n\n{disclaimer}")
    assert (message.text, message.signature, message.disclaimer) == ("It fails.", "", disclaimer)
    assert clean_text("Hi,\n\nis my data confidential?").disclaimer == ""


def test_a_disclaimer_below_the_signature_is_apart_from_it() -> None:
    signature = "Regards,\nDr. Elena Ferrand"
    disclaimer = "This message is confidential. If it is not for you, delete it."
    message = clean_text(f"It fails.\n\n{signature}\n\n{disclaimer}")
    assert (message.text, message.signature, message.disclaimer) == ("It fails.", signature, disclaimer)


TRACEBACK = """It crashes:

Traceback (most recent call last):
  File "run.py", line 88, in <module>
    main()
>>> import astropy
>>> from astroquery.eso import Eso
OSError: Empty or corrupt FITS file
```
> SELECT 1
--
```
> GET /success.txt HTTP/1.1
> Host: example.org"""


def test_tracebacks_and_code_are_kept_verbatim() -> None:
    assert clean_text(TRACEBACK) == CleanMessage(TRACEBACK, "", "")


def test_a_message_that_is_all_quote_and_signature_is_kept_as_text() -> None:
    body = "On 3 Jun 2024, Bo <b@example.org> wrote:\n> Please restart\n\nRegards,\nAna Bell"
    assert clean_text(body) == CleanMessage(body, "", "")


def test_indentation_of_the_first_line_is_kept() -> None:
    assert clean_text("\n\n    indented = 1\n").text == "    indented = 1"


def test_characters_nobody_sees_are_taken_out() -> None:
    assert clean_text("ma\u200bria@exam\u00adple.org").text == "maria@example.org"


PIECES = st.sampled_from(
    [
        *ATTRIBUTIONS,
        *("> quoted", ">> deeper", "", "   ", "-- ", "Regards,", "Ana Bell", "Cheers, Bo", "PS: x", "    code()"),
        *(
            "From: a",
            "Sent: b",
            "To: c",
            "Subject: d",
            "-----Original Message-----",
            "```",
            ">>> x",
            "Why?",
            "________",
        ),
        *("This is confidential, delete it.", "Sent from my phone", "---------- Forwarded message ---------"),
    ]
)


@given(st.lists(PIECES | st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20), max_size=25))
def test_no_visible_line_is_lost(lines: list[str]) -> None:
    body = "\n".join(lines).translate(dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad")))
    message = clean_text(body)
    parts = (message.text, message.quoted, message.signature, message.disclaimer)
    assert visible_lines(*parts) == visible_lines(body)
    assert message.text or not visible_lines(body)


@given(st.text())
def test_any_html_is_cleaned_without_failing(html: str) -> None:
    clean(html, ContentType.HTML)


@pytest.mark.parametrize("line", ["Thanks\nBob", "On 1 x", "> x\ny"])
def test_a_mail_of_a_thousand_awkward_lines_is_cleaned(line: str) -> None:
    assert clean_text("\n".join([line] * 1000)).text
