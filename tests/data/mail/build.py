"""Build `clients.jsonl` from `packs.json`: labelled mails in the formats that mail programs produce.

    python tests/data/mail/build.py

Every mail is a template (a program's format, below) filled with a language's phrases (`packs.json`). Templates of the
half `heldout` were written together with the others, before the parser was measured on any of them.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
AGENT, AGENT_MAIL = "Support Desk", "support@example.com"
WRAP_CHARS = 72

Labelled = list[tuple[str, str]]
Parts = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Words:
    """One language's phrases; `take` says which of two wordings the half uses."""

    lang: str
    pack: dict[str, Any]
    take: int

    def lines(self, key: str) -> list[str]:
        return list(self.pack[key][self.take])

    def one(self, key: str) -> str:
        return str(self.pack[key][self.take])

    def intro(self, key: str) -> str:
        return str(self.pack[key]).format(n=AGENT, m=AGENT_MAIL)

    @property
    def name(self) -> str:
        return self.lines("sig")[0]

    def header(self, which: Sequence[int], date: int = 0, subject: str = "") -> list[str]:
        values = (f"{AGENT} <{AGENT_MAIL}>", self.pack["date"][date], f"{self.name} <customer@example.org>")
        shown = (*values, "Desk <desk@example.com>", subject or f"RE: {self.one('fw')}", self.pack["date"][date])
        colon = " :" if self.lang == "fr" else ":"
        return [f"{self.pack['head'][n]}{colon} {shown[n]}" for n in which]

    def own(self) -> list[str]:
        return [self.one("hello"), *self.lines("text")]

    def signed(self) -> list[str]:
        return [self.one("close"), *self.lines("sig")]

    def asked(self) -> list[str]:
        return [*self.lines("ask"), self.one("close"), AGENT]


def marked(lines: Sequence[str], mark: str = "> ") -> list[str]:
    return [mark + line for line in lines]


def text(*parts: tuple[str, Sequence[str]]) -> tuple[str, Labelled]:
    body = "\n\n".join("\n".join(lines) for _, lines in parts)
    labelled = [(label, line) for label, lines in parts for line in lines if line.strip()]
    return body, labelled


def wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WRAP_CHARS, break_long_words=False, break_on_hyphens=False)


def br(lines: Sequence[str]) -> str:
    return "<br>".join(escape(line) for line in lines)


def tags(tag: str, lines: Sequence[str], attributes: str = "") -> str:
    return "".join(f"<{tag}{attributes}>{escape(line)}</{tag}>" for line in lines)


def html(body: str, *parts: tuple[str, Sequence[str]]) -> tuple[str, Labelled]:
    return body, [(label, line) for label, lines in parts for line in lines if line.strip()]


# --- development half -------------------------------------------------------------------------------------------------


def gmail_text(w: Words) -> tuple[str, Labelled]:
    quote = [*wrapped(w.intro("gmail")), "", *marked(w.asked()), ">", *marked(wrapped(w.intro("thunderbird")))]
    return text(
        ("text", w.own()),
        ("signature", ["-- ", *w.lines("sig")]),
        ("quote", [*quote, ">>", *marked(w.lines("old"), ">> ")]),
    )


def outlook_original_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", w.own()),
        ("signature", [w.one("close"), "", *w.lines("sig")]),
        ("quote", [w.one("original"), *w.header((0, 1, 2, 4))]),
        ("quote", w.asked()),
    )


def outlook_headers_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", w.own()),
        ("signature", w.signed()),
        ("disclaimer", w.lines("disclaimer")),
        ("quote", w.header((0, 1, 2, 3, 4))),
        ("quote", w.asked()),
        ("quote", w.header((0, 1, 2, 4), date=1)),
        ("quote", [*w.lines("old"), w.name, *w.lines("disclaimer")]),
    )


def apple_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", w.own()),
        ("signature", [w.one("sent_from")]),
        ("quote", [*marked(wrapped(w.intro("apple"))), "> ", *marked(w.asked())]),
    )


def thunderbird_inline_text(w: Words) -> tuple[str, Labelled]:
    first, second, *rest = w.asked()
    answers = w.lines("answer")
    return text(
        ("text", [w.one("hello")]),
        ("quote", [w.intro("thunderbird"), f"> {first}"]),
        ("text", [answers[0]]),
        ("quote", [f"> {second}"]),
        ("text", [answers[1]]),
        ("quote", marked(rest)),
        ("signature", ["-- ", *w.lines("sig")]),
    )


def contact_block_text(w: Words) -> tuple[str, Labelled]:
    return text(("text", w.own()), ("signature", w.lines("sig")), ("disclaimer", w.lines("disclaimer")))


TRACE = [
    "Traceback (most recent call last):",
    '  File "/opt/export/run.py", line 88, in <module>',
    "    main(limit=5000)",
    "ValueError: limit out of range",
]
BANNER = (
    "CAUTION: This email originated from outside of the organization. Do not click links unless you know the sender."
)


def banner_traceback_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("disclaimer", [BANNER]),
        ("text", [*w.own(), "", *TRACE]),
        ("signature", w.signed()),
        ("quote", [*w.header((0, 1, 2, 4))]),
        ("quote", w.asked()),
    )


def forwarded_gmail_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", [w.one("hello"), *w.lines("see")]),
        ("signature", w.signed()),
        ("text", [w.pack["forward"], *w.header((0, 5, 4, 2), subject=w.one("fw"))]),
        ("text", [*w.lines("old"), w.one("close"), AGENT]),
    )


def gmail_html(w: Words) -> tuple[str, Labelled]:
    intro = escape(w.intro("gmail")).replace(AGENT_MAIL, f'<a href="mailto:{AGENT_MAIL}">{AGENT_MAIL}</a>')
    body = (
        f'<div dir="ltr">{tags("div", w.own())}<div><br></div><span class="gmail_signature_prefix">-- </span><br>'
        f'<div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">'
        f"{br(w.lines('sig'))}</div></div></div><br>"
        f'<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">{intro}<br></div>'
        '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);'
        f'padding-left:1ex"><div dir="ltr">{br(w.asked())}</div></blockquote></div>'
    )
    return html(
        body,
        ("text", w.own()),
        ("signature", ["--", *w.lines("sig")]),
        ("quote", [w.intro("gmail"), *w.asked()]),
    )


def outlook_html(w: Words) -> tuple[str, Labelled]:
    header = w.header((0, 1, 2, 4))
    shown = "<br>".join(f"<b>{escape(line.split(':')[0])}:</b>{escape(line.split(':', 1)[1])}" for line in header)
    para = ' class="MsoNormal"'
    body = (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm} --></style>'
        f'</head><body lang="EN" link="#0563C1"><div class="WordSection1">{tags("p", w.own(), para)}'
        f'<p class="MsoNormal"><o:p>&nbsp;</o:p></p>{tags("p", w.signed(), para)}'
        f'<p class="MsoNormal"><span style="font-size:8.0pt;color:gray">{br(w.lines("disclaimer"))}</span></p>'
        '<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        f'<p class="MsoNormal">{shown}<o:p></o:p></p></div></div><p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
        f"{tags('p', w.asked(), para)}</div></body></html>"
    )
    return html(
        body,
        ("text", w.own()),
        ("signature", w.signed()),
        ("disclaimer", w.lines("disclaimer")),
        ("quote", [*header, *w.asked()]),
    )


def outlook_web_html(w: Words) -> tuple[str, Labelled]:
    header = w.header((0, 1, 2, 4))
    shown = "<br>".join(f"<b>{escape(line.split(':')[0])}:</b>{escape(line.split(':', 1)[1])}" for line in header)
    body = (
        '<html><head><style type="text/css">P {margin-top:0;margin-bottom:0;}</style></head><body dir="ltr">'
        f'{tags("div", w.own(), " class=elementToProof")}<div id="Signature" class="elementToProof">'
        f'{tags("div", w.lines("sig"))}</div><div id="appendonsend"></div>'
        '<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">'
        f'<font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">{shown}</font><div>&nbsp;</div></div>'
        f'<div class="BodyFragment">{br(w.asked())}</div></body></html>'
    )
    return html(body, ("text", w.own()), ("signature", w.lines("sig")), ("quote", [*header, *w.asked()]))


def apple_html(w: Words) -> tuple[str, Labelled]:
    body = (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
        '<body style="overflow-wrap: break-word; -webkit-nbsp-mode: space;">'
        f'{br(w.own())}<br id="lineBreakAtBeginningOfMessage"><div><br></div>{tags("div", w.signed())}'
        f'<div><br><blockquote type="cite"><div>{escape(w.intro("apple"))}</div>'
        f'<br class="Apple-interchange-newline"><div>{tags("div", w.asked())}</div></blockquote></div><br></body>'
    )
    return html(body, ("text", w.own()), ("signature", w.signed()), ("quote", [w.intro("apple"), *w.asked()]))


# --- held-out half ----------------------------------------------------------------------------------------------------


def outlook_mobile_html(w: Words) -> tuple[str, Labelled]:
    header = w.header((0, 1, 2, 4))
    shown = "<br>".join(f"<b>{escape(line.split(':')[0])}:</b>{escape(line.split(':', 1)[1])}" for line in header)
    body = (
        f'<html><body>{tags("div", w.own(), " dir=auto")}<div id="ms-outlook-mobile-body-separator-line"><br></div>'
        f'<div id="ms-outlook-mobile-signature"><a href="https://aka.ms/x">{escape(w.one("sent_from"))}</a></div>'
        '<div id="mail-editor-reference-message-container"><div class="ms-outlook-mobile-reference-message">'
        '<meta name="x"><hr style="display: inline-block; width: 98%;"><div id="divRplyFwdMsg" dir="ltr">'
        f"{shown}</div><br>{tags('p', w.asked())}</div></div></body></html>"
    )
    return html(body, ("text", w.own()), ("signature", [w.one("sent_from")]), ("quote", [*header, *w.asked()]))


def yahoo_html(w: Words) -> tuple[str, Labelled]:
    sent_from = w.pack["sent_from"][2]
    body = (
        f'<html><head></head><body><div class="ydp1a2b3cyahoo-style-wrap" style="font-size:16px">'
        f'{tags("div", w.own(), " dir=ltr data-setdir=false")}<div><br></div><div class="ydp1a2b3csignature">'
        f'<a href="https://mail.example.com/mobile">{escape(sent_from)}</a></div></div>'
        '<div id="yahoo_quoted_7731925540" class="yahoo_quoted"><div style="color:#26282a;">'
        f"<div>{escape(w.intro('yahoo'))}</div><div><br></div><div><br></div><div>{tags('p', w.asked())}</div>"
        "</div></div></body></html>"
    )
    return html(body, ("text", w.own()), ("signature", [sent_from]), ("quote", [w.intro("yahoo"), *w.asked()]))


def proton_html(w: Words) -> tuple[str, Labelled]:
    sent_from = w.pack["sent_from"][3]
    body = (
        f'<div style="font-family: Arial; font-size: 14px;">{br(w.own())}</div><div><br></div>'
        '<div class="protonmail_signature_block"><div class="protonmail_signature_block-user protonmail_signature'
        f'_block-empty"></div><div class="protonmail_signature_block-proton">{escape(sent_from)}</div></div>'
        f'<div class="protonmail_quote">{escape(w.intro("proton"))}<br><br>'
        f'<blockquote class="protonmail_quote" type="cite">{br(w.asked())}</blockquote><br></div>'
    )
    return html(body, ("text", w.own()), ("signature", [sent_from]), ("quote", [w.intro("proton"), *w.asked()]))


def gmx_html(w: Words) -> tuple[str, Labelled]:
    header = w.header((1, 0, 2, 4))
    shown = "<br>".join(f"<b>{escape(line.split(':')[0])}:</b>{escape(line.split(':', 1)[1])}" for line in header)
    body = (
        f'<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">{tags("div", w.own())}'
        f'<div>&nbsp;</div>{tags("div", w.signed())}<div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; '
        'padding: 10px 0 10px 10px; border-left:2px solid #C3D9E5; word-wrap: break-word;">'
        f'<div style="margin:0 0 10px 0;">{shown}</div><div name="quoted-content">{tags("div", w.asked())}</div>'
        "</div></div></div></body></html>"
    )
    return html(body, ("text", w.own()), ("signature", w.signed()), ("quote", [*header, *w.asked()]))


def lotus_text(w: Words) -> tuple[str, Labelled]:
    header = [line.replace(": ", ":\t", 1) for line in w.header((0, 2, 5, 4))]
    return text(("text", w.own()), ("signature", w.signed()), ("quote", header), ("quote", w.asked()))


def zimbra_html(w: Words) -> tuple[str, Labelled]:
    header = w.header((0, 2, 1, 4))
    shown = "<br>".join(f"<b>{escape(line.split(':')[0])}: </b>{escape(line.split(':', 1)[1])}" for line in header)
    body = (
        f'<html><body><div style="font-family: arial; font-size: 12pt">{tags("div", w.own())}<div><br></div>'
        f'<div data-marker="__SIG_PRE__">{tags("div", w.signed())}</div><div><br></div>'
        f'<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__">{shown}<br></div>'
        f'<div data-marker="__QUOTED_TEXT__">{tags("p", w.asked())}</div></div></body></html>'
    )
    return html(body, ("text", w.own()), ("signature", w.signed()), ("quote", [*header, *w.asked()]))


def bottom_posting_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("quote", [w.intro("roundcube"), *marked(w.asked())]),
        ("text", w.own()),
        ("signature", ["--", *w.lines("sig")]),
        ("disclaimer", w.lines("disclaimer")),
    )


def thunderbird_inline_html(w: Words) -> tuple[str, Labelled]:
    first, *rest = w.asked()
    answers = w.lines("answer")
    cite = '<blockquote type="cite" cite="mid:1234@example.com">'
    body = (
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body>'
        f'<div class="moz-cite-prefix">{escape(w.intro("thunderbird"))}<br></div>{cite}<p>{escape(first)}</p>'
        f"</blockquote><p>{br(answers)}</p>{cite}{br(rest)}</blockquote><p><br></p>"
        f'<pre class="moz-signature" cols="72">-- \n' + escape("\n".join(w.lines("sig"))) + "</pre></body></html>"
    )
    return html(
        body,
        ("quote", [w.intro("thunderbird"), first, *rest]),
        ("text", answers),
        ("signature", ["--", *w.lines("sig")]),
    )


def iphone_html(w: Words) -> tuple[str, Labelled]:
    sent_from = w.pack["sent_from"][0]
    body = (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">'
        f'{br(w.own())}<br><div dir="ltr"><br><div>{escape(sent_from)}</div></div><div dir="ltr"><br>'
        f'<blockquote type="cite">{escape(w.intro("apple"))}<br><br></blockquote></div>'
        f'<blockquote type="cite"><div dir="ltr">﻿{tags("p", w.asked())}</div></blockquote></body></html>'
    )
    return html(body, ("text", w.own()), ("signature", [sent_from]), ("quote", [w.intro("apple"), *w.asked()]))


def forwarded_apple_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", [w.one("hello"), *w.lines("see")]),
        ("signature", w.signed()),
        ("text", ["> " + w.pack["forward_apple"], ">", *marked(w.header((0, 4, 5, 2), subject=w.one("fw")))]),
        ("text", marked([*w.lines("old"), w.one("close"), AGENT])),
    )


def forwarded_thunderbird_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", [w.one("hello"), *w.lines("see")]),
        ("signature", ["-- ", *w.lines("sig")]),
        ("text", [w.pack["forward_tb"], *w.header((4, 5, 0, 2), subject=w.one("fw"))]),
        ("text", [*w.lines("old"), w.one("close"), AGENT]),
    )


def outlook_rule_text(w: Words) -> tuple[str, Labelled]:
    header = w.header((0, 1, 2, 3, 4), date=1)
    header.insert(3, "    Data Team <data-team@example.com>; operations@example.com")
    return text(
        ("text", w.own()),
        ("signature", [w.one("close"), w.name]),
        ("quote", ["_" * 32, *header]),
        ("quote", w.asked()),
    )


def proton_wrapped_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", w.own()),
        ("signature", [w.pack["sent_from"][3]]),
        ("quote", [*wrapped(w.intro("proton")), "", *marked(w.asked())]),
    )


def contact_block_disclaimer_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", w.own()),
        ("signature", [w.one("close")]),
        ("signature", w.lines("sig")),
        ("disclaimer", w.lines("disclaimer")),
        ("quote", [*wrapped(w.intro("yahoo")), "", *marked(w.asked())]),
    )


LOG = [
    "2026-03-10 09:38:01,120 INFO export.worker starting job 8812",
    "2026-03-10 09:38:04,507 ERROR export.worker job 8812 failed",
    "[export]",
    "limit = 5000",
    "$ systemctl status export-worker",
]


def log_text(w: Words) -> tuple[str, Labelled]:
    return text(
        ("text", [*w.own(), "", *LOG]),
        ("signature", w.signed()),
        ("quote", [w.intro("gmail"), *marked(w.asked())]),
    )


Template = Callable[[Words], tuple[str, Labelled]]

DEV: tuple[Template, ...] = (
    gmail_text,
    outlook_original_text,
    outlook_headers_text,
    apple_text,
    thunderbird_inline_text,
    contact_block_text,
    banner_traceback_text,
    forwarded_gmail_text,
    gmail_html,
    outlook_html,
    outlook_web_html,
    apple_html,
)
HELDOUT: tuple[Template, ...] = (
    outlook_mobile_html,
    yahoo_html,
    proton_html,
    gmx_html,
    lotus_text,
    zimbra_html,
    bottom_posting_text,
    thunderbird_inline_html,
    iphone_html,
    forwarded_apple_text,
    forwarded_thunderbird_text,
    outlook_rule_text,
    proton_wrapped_text,
    contact_block_disclaimer_text,
    log_text,
)
ALWAYS = ("en", "de", "fr", "es")
IN_TURN = ("it", "pt", "nl", "pl", "sv", "cs", "ja")
TURNS = 3


def mails() -> Iterator[dict[str, Any]]:
    """Each template in English, German, French, Spanish and three of the other seven languages, in turn."""
    packs = json.loads((HERE / "packs.json").read_text(encoding="utf-8"))
    for take, (half, templates) in enumerate((("dev", DEV), ("heldout", HELDOUT))):
        for number, template in enumerate(templates):
            turn = [IN_TURN[(number * TURNS + n) % len(IN_TURN)] for n in range(TURNS)]
            for lang in (*ALWAYS, *turn):
                body, lines = template(Words(lang, packs[lang], take))
                name = template.__name__
                yield {
                    "_id": f"{name}-{lang}",
                    "half": half,
                    "format": name,
                    "lang": lang,
                    "content_type": "text/html" if name.endswith("_html") else "text/plain",
                    "body": body,
                    "lines": lines,
                }


def main() -> None:
    rows = [json.dumps(mail, ensure_ascii=False) for mail in mails()]
    (HERE / "clients.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
