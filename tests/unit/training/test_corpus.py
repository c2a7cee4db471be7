"""Sentence pairs are read out of the packages' files."""

from __future__ import annotations

import gzip
import json
import struct
import zipfile
from pathlib import Path

import pytest

from training.corpus import chromium, help_pages, mozilla, pairs, plain, read_pak, rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&Lesezeichen öffnen:", "Lesezeichen öffnen"),
        ("_Ouvrir", "Ouvrir"),
        ("Salir de { -brand-short-name }", "Salir de Firefox"),
        ("%d von %1$s: $1 %%", "von"),
        ("Mehr <a href='x'>erfahren</a>", "Mehr erfahren"),
        ("{ $count ->\n [one] one tab\n *[other] tabs\n}", ""),
        ("{COUNT,plural, =1{Item}other{# items}}", ""),
        ("snake_case stays apart", "snakecase stays apart"),
    ],
)
def test_markup_placeholders_and_access_keys_go(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_fluent_messages_pair_by_file_and_key(tmp_path: Path) -> None:
    english = (
        "greeting = Hello\nmenu =\n    .label = Open\n    .accesskey = O\nlong =\n    First line\n    second line\n"
    )
    german = (
        "greeting = Hallo\nmenu =\n    .label = Öffnen\n    .accesskey = f\nlong =\n    Erste Zeile\n    zweite Zeile\n"
    )
    _zip(tmp_path / "firefox-esr/omni.ja", "localization/en-US/a/b.ftl", english)
    _zip(tmp_path / "firefox-esr-l10n-de/langpack-de@x.xpi", "browser/localization/de/a/b.ftl", german)
    assert [pair for pair in mozilla(tmp_path, "de") if any(pair)] == [
        ("Hallo", "Hello"),
        ("Öffnen", "Open"),
        (" Erste Zeile zweite Zeile", " First line second line"),
    ]


def test_data_packs_pair_by_number(tmp_path: Path) -> None:
    locales = tmp_path / "chromium-l10n/usr/lib/chromium/locales"
    locales.mkdir(parents=True)
    (locales / "en-GB.pak").write_bytes(_pak({1: "Open", 3: "Bookmarks"}))
    (locales / "pt-BR.pak").write_bytes(_pak({2: "Nada", 3: "Favoritos"}))
    assert list(chromium(tmp_path, "pt")) == [("Favoritos", "Bookmarks")]


def test_another_version_of_data_packs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pak").write_bytes(struct.pack("<IIHH", 4, 1, 0, 0))
    with pytest.raises(ValueError, match="version 4"):
        read_pak(tmp_path / "x.pak")


def test_help_pages_pair_block_by_block_and_only_when_alike(tmp_path: Path) -> None:
    page = '<page xmlns="http://projectmallard.org/1.0/"><title>{}</title><p>{}</p></page>'
    root = tmp_path / "gnome-user-docs/usr/share/help"
    for lang, texts in (("C", ("Print", "Press it.")), ("it", ("Stampa", "Premilo."))):
        (root / lang).mkdir(parents=True)
        (root / lang / "a.page").write_text(page.format(*texts), encoding="utf-8")
        (root / lang / "b.page").write_text(
            page.format(*texts).replace("p>", "td>", 2 * (lang == "it")), encoding="utf-8"
        )
    assert list(help_pages(tmp_path, "it")) == [("Stampa", "Print"), ("Premilo.", "Press it.")]


def test_rows_without_the_language_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl.gz"
    lines = [{"en": "Open", "de": "Öffnen"}, {"en": "Close", "fr": "Fermer"}]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    assert list(rows([file], "de")) == [("Öffnen", "Open")]


def test_pairs_are_kept_once_and_only_where_both_sides_are_words(tmp_path: Path) -> None:
    (tmp_path / "chromium-l10n/usr/lib/chromium/locales").mkdir(parents=True)
    for name in ("en-GB", "es", "de", "fr", "it", "pt-BR"):
        (tmp_path / f"chromium-l10n/usr/lib/chromium/locales/{name}.pak").write_bytes(_pak({}))
    file = tmp_path / "rows.jsonl"
    lines = [("Open", "Öffnen"), ("Open", "_Öffnen"), ("PDF", "pdf"), ("1", "2"), ("Yes", "x" * 200)]
    file.write_text("\n".join(json.dumps({"en": en, "de": de}) for en, de in lines), encoding="utf-8")
    assert pairs(tmp_path, [file]) == [("de", "Öffnen", "Open")]


def _zip(file: Path, name: str, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)


def _pak(texts: dict[int, str]) -> bytes:
    bodies = [text.encode() for text in texts.values()]
    start = 12 + 6 * (len(texts) + 1)
    ends = [start + sum(map(len, bodies[:number])) for number in range(len(bodies) + 1)]
    table = b"".join(struct.pack("<HI", number, end) for number, end in zip([*texts, 0], ends, strict=True))
    return struct.pack("<IIHH", 5, 1, len(texts), 0) + table + b"".join(bodies)
