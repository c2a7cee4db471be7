"""Sentences with their translations, from Debian packages: labels and messages of programs, and help pages.

The packages are fetched with `apt-get download` and unpacked with `dpkg-deb`; nothing of them is kept in the product.
Their licences: MPL-2.0 (Firefox, Thunderbird), BSD (Chromium), CC BY-SA 3.0 (GNOME's help), GPL (the catalogues).
"""

from __future__ import annotations

import gettext
import json
import re
import struct
import subprocess
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

LANGUAGES = ("es", "de", "fr", "it", "pt")

_MOZILLA = {"es": "es-es", "pt": "pt-br"}
_MOZILLA_FILE = {"es": "es-ES", "pt": "pt-BR"}
_CHROMIUM = {"pt": "pt-BR"}
_UNIX = {"pt": "pt_BR"}
_CATALOGUE = re.compile(
    r"(?:^|[/-])(?:(?P<es>es|es_ES)|(?P<de>de|de_DE)|(?P<fr>fr|fr_FR)|(?P<it>it|it_IT)|(?P<pt>pt_BR))[/.](?:.*\.)?mo$"
)

CATALOGUES = (
    "claws-mail-i18n", "epiphany-browser-data", "evince-common", "evolution-common", "file-roller", "filezilla-common",
    "gnome-control-center-data", "gnome-software-common", "libgtk-3-common", "liferea-data", "nautilus-data",
    "network-manager-gnome", "pidgin-data", "seahorse", "transmission-common", "gnucash-common", "kdepim-runtime",
    "kio", "kmail", "phpmyadmin", "plasma-workspace-data", "vlc-l10n", "wesnoth-1.16-data", "wordpress-l10n",
    *(f"libreoffice-l10n-{lang}" for lang in ("es", "de", "fr", "it", "pt-br")),
)  # fmt: skip
HELP_PAGES = ("gnome-user-docs", "evolution-common")
PACKAGES = (
    "firefox-esr", "thunderbird", "chromium-l10n", *CATALOGUES, "gnome-user-docs",
    *(f"{name}-l10n-{_MOZILLA.get(lang, lang)}" for name in ("firefox-esr", "thunderbird") for lang in LANGUAGES),
)  # fmt: skip

_FLUENT_LINE = re.compile(r"^(?:(-?[a-zA-Z][\w-]*)|\s+\.([a-zA-Z][\w-]*))\s*=\s*(.*)$")
_NOT_TEXT = {"style", "accesskey", "key", "accesskey2"}
_SELECT = re.compile(r"\{[^{}]*->.*", re.DOTALL)
_PLURAL = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select)\b.*", re.DOTALL)
_BRAND = re.compile(r"\{\s*-(?:brand-|vendor-)?(short|shorter|full|product|account|vendor)?[\w-]*\s*\}")
_PLACEABLE = re.compile(r"\{[^{}]*\}|%\d*\$?[-+]?\d*(?:\.\d+)?l?[sdifuxcgS@]|%%|\$\d|\$\{?\w+\}?|__\w+__")
_TAG = re.compile(r"<[^<>]{1,200}>")
_BLANKS = re.compile(r"\s+")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def fetch(folder: Path) -> None:
    """Download and unpack what is not there yet: `folder/<package>` holds a package's files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(PACKAGES):
        if (folder / name).is_dir():
            continue
        subprocess.run(["apt-get", "download", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        archive = next(folder.glob(f"{name}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive.name, name], cwd=folder, check=True)
        archive.unlink()


def pairs(folder: Path, extra: Iterable[Path] = ()) -> list[tuple[str, str, str]]:
    """(language, foreign text, English text), every one once, in a fixed order.

    `extra` are JSONL files (`.gz` or not) of rows like `{"en": ..., "de": ..., "fr": ...}`.
    """
    found: dict[tuple[str, str, str], None] = {}
    for lang in LANGUAGES:
        sources = (mozilla(folder, lang), chromium(folder, lang), catalogues(folder, lang), help_pages(folder, lang))
        for foreign, english in (pair for source in (*sources, rows(extra, lang)) for pair in source):
            pair = (lang, plain(foreign), plain(english))
            if _usable(*pair[1:]):
                found[pair] = None
    return list(found)


def plain(text: str) -> str:
    """A label or message as a person would read it: without markup, placeholders and access keys."""
    text = unicodedata.normalize("NFKC", text).replace("­", "")
    text = _PLURAL.sub(" ", _SELECT.sub(" ", text))
    text = _BRAND.sub("Firefox", text)
    text = _PLACEABLE.sub(" ", _TAG.sub(" ", text))
    text = re.sub(r"\(&\w\)|(?<!\w)&(?=\w)|(?<=\w)&(?=\w)", "", text)
    text = re.sub(r"(?<!\w)_(?=\w)|(?<=[a-zà-ÿ])_(?=[a-zà-ÿ])", "", text)
    return _BLANKS.sub(" ", text).strip(" :…\"'")


def mozilla(folder: Path, lang: str) -> Iterator[tuple[str, str]]:
    """Firefox and Thunderbird: messages with the same file and key in the program and in its language pack."""
    name = _MOZILLA_FILE.get(lang, lang)
    for program in ("firefox-esr", "thunderbird"):
        english: dict[tuple[str, str], str] = {}
        for archive in sorted((folder / program).rglob("omni.ja")):
            english |= _messages(archive, "en-US")
        for pack in sorted((folder / f"{program}-l10n-{_MOZILLA.get(lang, lang)}").rglob(f"langpack-{name}@*.xpi")):
            for key, text in _messages(pack, name).items():
                if key in english:
                    yield text, english[key]


def chromium(folder: Path, lang: str) -> Iterator[tuple[str, str]]:
    """Chromium: messages with the same number (British English is in the same package)."""
    locales = folder / "chromium-l10n" / "usr/lib/chromium/locales"
    english = read_pak(locales / "en-GB.pak")
    for number, text in read_pak(locales / f"{_CHROMIUM.get(lang, lang)}.pak").items():
        if number in english:
            yield text, english[number]


def catalogues(folder: Path, lang: str) -> Iterator[tuple[str, str]]:
    """Gettext: each message is its own key."""
    for package in CATALOGUES:
        for file in sorted((folder / package).rglob("*.mo")):
            place = _CATALOGUE.search(file.as_posix())
            if place is None or place.lastgroup != lang:
                continue
            with file.open("rb") as stream:
                messages: Mapping[object, str] = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
            for key, text in messages.items():
                english = key[0] if isinstance(key, tuple) else str(key)
                yield text, english.split("\x04")[-1]


def help_pages(folder: Path, lang: str) -> Iterator[tuple[str, str]]:
    """Mallard pages: the blocks of a page and of its translation, where there are as many of each kind."""
    for package in HELP_PAGES:
        root = folder / package / "usr/share/help"
        for page in sorted((root / "C").rglob("*.page")):
            other = root / _UNIX.get(lang, lang) / page.relative_to(root / "C")
            english, foreign = _blocks(page), _blocks(other)
            if [kind for kind, _ in english] == [kind for kind, _ in foreign]:
                yield from zip((text for _, text in foreign), (text for _, text in english), strict=True)


def rows(files: Iterable[Path], lang: str) -> Iterator[tuple[str, str]]:
    """Rows of JSONL files that hold this language and English."""
    import gzip

    for file in files:
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                if row.get(lang) and row.get("en"):
                    yield row[lang], row["en"]


def read_pak(file: Path) -> dict[int, str]:
    """Chromium's data pack, version 5: a table of (number, offset), then the texts."""
    content = file.read_bytes()
    version, _, count, _ = struct.unpack_from("<IIHH", content)
    if version != 5:
        raise ValueError(f"{file.name} is a data pack of version {version}, not 5")
    table = [struct.unpack_from("<HI", content, 12 + 6 * number) for number in range(count + 1)]
    return {number: content[start:end].decode("utf-8", "replace") for (number, start), (_, end) in pairwise(table)}


def _messages(archive: Path, locale: str) -> dict[tuple[str, str], str]:
    """(file name, key) -> text, of the Fluent and properties files of a Mozilla archive."""
    found: dict[tuple[str, str], str] = {}
    with zipfile.ZipFile(archive) as package:
        for name in package.namelist():
            if f"/{locale}/" not in f"/{name}" or not name.endswith((".ftl", ".properties")):
                continue
            place = name.split(f"{locale}/", 1)[1]
            content = package.read(name).decode("utf-8", "replace")
            parse = _fluent if name.endswith(".ftl") else _properties
            found |= {(place, key): text for key, text in parse(content)}
    return found


def _fluent(content: str) -> Iterator[tuple[str, str]]:
    message, key, lines = "", "", [""]
    for line in [*content.splitlines(), "end ="]:
        match = _FLUENT_LINE.match(line)
        if match:
            if key:
                yield key, " ".join(lines)
            message = match[1] or message
            key = "" if match[2] in _NOT_TEXT else f"{message}.{match[2] or ''}"
            lines = [match[3]]
        elif line.startswith((" ", "\t")):
            lines.append(line.strip())


def _properties(content: str) -> Iterator[tuple[str, str]]:
    for line in content.splitlines():
        key, sign, text = line.partition("=")
        if sign and not line.startswith(("#", "!")) and "accesskey" not in key.lower():
            yield key.strip(), text.strip()


def _blocks(page: Path) -> list[tuple[str, str]]:
    if not page.is_file():
        return []
    try:
        root = ElementTree.parse(page).getroot()
    except ElementTree.ParseError:
        return []
    kinds = {"title", "p", "desc", "td"}
    found = [(_kind(node), "".join(node.itertext())) for node in root.iter() if _kind(node) in kinds]
    return [(kind, text) for kind, text in found if text.strip()]


def _kind(node: ElementTree.Element) -> str:
    return str(node.tag).rsplit("}", 1)[-1]


def _usable(foreign: str, english: str) -> bool:
    """Both are words, of like length, and not the same."""
    if not (_LETTERS.search(foreign) and _LETTERS.search(english)) or foreign.casefold() == english.casefold():
        return False
    return len(english) < 1000 and 0.33 < (len(foreign) + 5) / (len(english) + 5) < 3
