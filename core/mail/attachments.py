"""Names of attachments that the text of a mail mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SUFFIXES = (
    "7z|avi|bmp|cfg|conf|csv|dmg|doc|docx|eml|fits|gif|gz|heic|html|ics|jpeg|jpg|json|key|log|mov|mp3|mp4|msg|odp|ods|odt"
    "|pages|pdf|png|ppt|pptx|rtf|sql|svg|tar|tgz|tif|tiff|txt|vcf|webp|xls|xlsx|xml|yaml|yml|zip"
)
_FILE = rf"[^<>\[\]\"|\\/:*?\n]{{1,120}}\.(?:{_SUFFIXES})"
_MENTIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\[cid:([^\]@\s]{1,120})(?:@[^\]\s]{1,120})?\]",
        rf"<(?:attachment: ?)?({_FILE})>",
        rf"\[(?:image|inline image|bild|inline-bild|imagen|immagine|imagem|afbeelding|obraz"
        rf"|bild)[^:\]\n]{{0,20}}: ?({_FILE})\]",
        rf"[\[(](?:attachment|see attached file|siehe angehängte datei|fichier joint|anlage) ?:? ?\"?({_FILE})",
    )
)
_LIST = re.compile(
    r"\s*(?:attachments?|attached files?|anlagen?|anhänge|pièces? jointes?|(?:datos|archivos) adjuntos|adjuntos?"
    r"|allegat[io]"
    r"|anexos?|bijlagen?|załączniki?|bilag(?:a|or)|přílohy|添付ファイル)(?:\([es]\))? ?[:：]\s*(.{1,2000})$",
    re.IGNORECASE,
)
_LISTED = re.compile(rf"({_FILE})(?:\s*\([^)]{{1,20}}\))?\s*$", re.IGNORECASE)


def attachment_names(lines: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in the order of their first mention.

    >>> attachment_names(["See [cid:image001.png@01DA] and <run 2.log>", "Attachments: a.csv; b.pdf (2 MB)"])
    ('image001.png', 'run 2.log', 'a.csv', 'b.pdf')
    """
    names: dict[str, None] = {}
    for line in lines:
        for pattern in _MENTIONS:
            names.update(dict.fromkeys(name.strip() for name in pattern.findall(line)))
        listed = _LIST.match(line)
        for piece in re.split("[;,、]", listed.group(1)) if listed else ():
            found = _LISTED.fullmatch(piece.strip())
            if found:
                names[found.group(1)] = None
    return tuple(names)
