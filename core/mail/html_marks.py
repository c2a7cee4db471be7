"""What mail programs mark in the HTML they write: which element quotes, which is a signature, which nobody sees."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import islice

from bs4.element import NavigableString, Tag

from core.mail.intros import is_forward

_MOST_ANCESTORS = 20
_MOST_LOOKED_AT = 100


class Hint(StrEnum):
    """What the mark says of a line: it is quoted; an earlier mail starts here and goes on to the end; it is a
    signature."""

    QUOTE = "quote"
    EARLIER_MAIL = "earlier mail"
    SIGNATURE = "signature"


_CITING_CLASSES = frozenset({"gmail_quote", "yahoo_quoted", "moz-cite", "protonmail_quote"})
_QUOTE_CLASSES = frozenset(
    {"gmail_attr", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "moz-forward-container"}
)
_QUOTE_IDS = frozenset({"mail-editor-reference-message-container", "replysplit", "orighlinks"})
_QUOTE_NAMES = frozenset({"quote", "quoted-content", "messagereplysection"})
_EARLIER_IDS = frozenset({"divrplyfwdmsg", "stopspelling", "olk_src_body_section", "mailcontainerbody"})
_SIGNATURE_CLASSES = frozenset(
    {"gmail_signature", "gmail_signature_prefix", "moz-signature", "protonmail_signature_block", "k9mail-signature"}
    | {"ymail_android_signature", "yahoo_signature", "apple-signature", "mail_signature"}
)
_SIGNATURE_IDS = frozenset(
    {"signature", "applemailsignature", "ms-outlook-mobile-signature", "composer_signature", "ymail_android_signature"}
)
_YAHOO_SIGNATURE = re.compile(r"ydp[0-9a-f]{1,12}signature")
_EARLIER_STYLE = re.compile(
    r"border-top:(?:solid)?(?:1(?:\.0)?p[tx])?(?:solid)?(?:#e1e1e1|#b5c4df|rgb\((?:225,225,225|181,196,223)\))"
    r"|border-top-color:rgb\(229,229,229\)"
)
_UNSEEN = frozenset({"script", "style", "head", "title", "template", "object", "iframe", "svg", "audio", "video"})
_HIDING_STYLE = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|(?:^|;)opacity:0(?:\.0+)?(?:;|$|!)"
    r"|(?:^|;)font-size:[01]?(?:\.0+)?(?:px|pt|em|%)?(?:;|$|!)|(?:^|;)max-height:0(?:px)?(?:;|$|!)"
    r"|(?:^|;)(?:text-indent|left):-\d{4}|(?:^|;)color:transparent"
)
_WHITE = re.compile(r"(?:^|;)color:(?:#fff(?:fff)?|white|rgb\(255,255,255\))(?:;|$|!)")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color|-image)?:([^;!]{1,60})")
_WHITE_BACKGROUND = re.compile(r"(?:#fff(?:fff)?|white|rgb\(255,255,255\)|transparent|none|initial|inherit)")


def hint_of(tag: Tag) -> Hint | None:
    """What the program that wrote the element says it is. A container that starts with a forwarded mail is none."""
    hint = _hint_of_names(tag)
    if hint is None and _EARLIER_STYLE.search(style_of(tag)):
        hint = Hint.EARLIER_MAIL
    return None if hint is Hint.QUOTE and starts_with_forward(tag) else hint


def _hint_of_names(tag: Tag) -> Hint | None:
    classes, marker = _classes(tag), str(tag.get("data-marker", ""))
    identity, name = _plain(str(tag.get("id", ""))), str(tag.get("name", "")).lower()
    if identity in _EARLIER_IDS:
        return Hint.EARLIER_MAIL
    if is_citing(tag) or classes & _QUOTE_CLASSES or identity in _QUOTE_IDS or name in _QUOTE_NAMES:
        return Hint.QUOTE
    if marker in ("__HEADERS__", "__QUOTED_TEXT__"):
        return Hint.QUOTE
    signed = classes & _SIGNATURE_CLASSES or identity in _SIGNATURE_IDS or name == "messagesignaturesection"
    if signed or marker.startswith("__SIG_") or any(_YAHOO_SIGNATURE.fullmatch(each) for each in classes):
        return Hint.SIGNATURE
    return None


def is_citing(tag: Tag) -> bool:
    """Whether the element is a block quotation of an earlier mail, not an indented paragraph."""
    return tag.name == "blockquote" and (
        str(tag.get("type", "")).lower() == "cite" or bool(_classes(tag) & _CITING_CLASSES)
    )


def starts_with_forward(tag: Tag) -> bool:
    """Whether the first visible line of the element says that a forwarded mail follows."""
    for element in islice(tag.descendants, _MOST_LOOKED_AT):
        if isinstance(element, NavigableString) and element.strip():
            return is_forward(element.strip().split("\n")[0])
    return False


def unseen_reason(tag: Tag) -> str:
    """Why a reader of the mail does not see the element: "script", "style", "hidden", "pixel" or another name of what
    it is; "" when it is seen."""
    style = style_of(tag)
    if tag.name in _UNSEEN:
        return tag.name
    if tag.name == "img" and _is_pixel(tag):
        return "pixel"
    if tag.has_attr("hidden") or _HIDING_STYLE.search(style) or "preheader" in _classes(tag):
        return "hidden"
    return "hidden" if _WHITE.search(style) and _on_white(tag) else ""


def style_of(tag: Tag) -> str:
    """The style attribute, lower case, without white space."""
    return re.sub(r"\s+", "", str(tag.get("style", ""))).lower()


def _on_white(tag: Tag) -> bool:
    """Whether the nearest background that is set, on the element or around it, is white; no background is white."""
    for depth, element in enumerate((tag, *tag.parents)):
        if depth > _MOST_ANCESTORS:
            break
        background = _BACKGROUND.search(style_of(element))
        colour = background.group(1) if background else str(element.get("bgcolor", "")).lower()
        if colour:
            return bool(_WHITE_BACKGROUND.fullmatch(colour))
    return True


def _is_pixel(tag: Tag) -> bool:
    return any(str(tag.get(side, "")).strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))


def _classes(tag: Tag) -> set[str]:
    return {_plain(str(name)) for name in tag.get_attribute_list("class") if name}


def _plain(name: str) -> str:
    """Lower case, without the `x_` that Outlook puts before the names it finds in a mail it quotes."""
    plain = name.lower()
    while plain.startswith("x_"):
        plain = plain[2:]
    return plain
