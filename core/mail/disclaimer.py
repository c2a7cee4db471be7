"""Which of an author's own lines are what a mail server or a lawyer added: disclaimers, notices, warnings about mail
from outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.mail.runs import paragraphs, runs

_CUES_NEEDED = 2
_LONGEST_LINE_CHARS = 4000
_MOST_BANNER_LINES = 4
_MOST_LINES = 40

_CUES = re.compile(
    r"confidential\b|confidentiality|intended (?:recipient|solely|only|for the)|addressee|privileged"
    r"|received (?:this|it) (?:\w+ )?(?:in error|by mistake)|(?:delete|destroy) (?:it|this|the|all)"
    r"|notify the sender|by reply"
    r"|unauthori[sz]ed|(?:disclosure|dissemination|distribution|copying)\b.{0,60}prohibited"
    r"|vertrauliche?|nicht der (?:richtige|beabsichtigte|vorgesehene)|(?:richtige|beabsichtigte)r? (?:adressat"
    r"|empfänger)"
    r"|irrtümlich|ausschlie(?:ß|ss)lich für|unbefugt|(?:vernichten|löschen) sie|den absender"
    r"|confidentiel|(?:le|leur|du|au) destinataire|par erreur|l'expéditeur|(?:diffusion|copie)\b.{0,60}interdite"
    r"|le détruire|le supprimer"
    r"|confidencia(?:l|is)|destinatari[oa]|destinatário|por error|por engano|al remitente|o remetente|prohibida"
    r"|proibida"
    r"|(?:lo|la) elimine|elimine-a|riservat[oi]|confidenzial[ei]|per errore|il mittente|vietata|cancellarlo"
    r"|vertrouwelijk|geadresseerde|ten onrechte|de afzender|niet toegestaan|te verwijderen"
    r"|poufn[aey]|adresat(?:a|em)?\b|omyłkowo|nadawcy|zabronione|usunięcie"
    r"|konfidentiell|(?:avsedd|avsett) (?:för|mottagare)|av misstag|avsändaren|förbjuden|radera|fortrolig|ved en fejl"
    r"|důvěrn[áýé]|adresát|omylem|odesílatele|zakázáno|smaž|smazání|luottamuksellinen|bizalmas"
    r"|конфиденциальн|получател|機密|誤って|受信者|心当たりのない|削除|禁じ|送信者",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"confidentiality notice|legal (?:notice|disclaimer)|^\W{0,3}disclaimer\b|aviso (?:legal|de confidencialidad)"
    r"|avviso di riservatezza|(?:consider|think of) the environment|before printing|der umwelt zuliebe"
    r"|gedruckt werden muss"
    r"|avant d[e']\s?imprimer|antes de imprimir|prima di stampare|voordat u dit bericht afdrukt|innan du skriver ut"
    r"|virus[- ]free|(?:scanned|checked) for (?:viruses|malware)|auf viren (?:geprüft|untersucht)|sans virus"
    r"|libre de virus",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"originate[sd] (?:from )?outside|(?:came|sent) from outside|\[external\]|^\W{0,3}external (?:e-?mail|sender"
    r"|message)"
    r"|do not click (?:on )?(?:any )?links|you don['’]t often get e-?mail from|externe[r]? (?:e-?mail|absender"
    r"|mail)\b"
    r"|sie erhalten nicht (?:oft|häufig) e-?mails? von|klicken sie nicht auf links|(?:expéditeur|courriel"
    r"|message) externe"
    r"|(?:correo|remitente) externo|mittente esterno|e-?mail esterna|remetente externo|e-?mail externo"
    r"|externe afzender",
    re.IGNORECASE,
)


def disclaimer_lines(lines: Sequence[str], own: Sequence[bool]) -> list[bool]:
    """For each line, whether it belongs to a disclaimer at the end of a run of `own` lines, or to a warning at the
    very top.

    >>> disclaimer_lines(["It fails.", "", "This e-mail is confidential and only for the addressee."], [True] * 3)
    [False, False, True]
    """
    marked = [False] * len(lines)
    for start, end in runs(own):
        for first, last in _at_the_end(lines, start, end):
            marked[first:last] = [True] * (last - first)
    for first, last in _at_the_top(lines, own):
        marked[first:last] = [True] * (last - first)
    return marked


def _at_the_end(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """The last paragraphs of the range, as far up as each is legal text."""
    found: list[tuple[int, int]] = []
    for first, last in reversed(paragraphs(lines, start, end)):
        needed = _CUES_NEEDED if not found else 1
        top = max(first, last - _MOST_LINES)
        legal = next((n for n in range(top, last) if _is_legal(lines[n:last], needed)), last)
        if legal == last:
            break
        found.append((legal, last))
        if legal > first:
            break
    return found


def _is_legal(piece: Sequence[str], needed: int) -> bool:
    """Whether the first of these lines opens a piece of legal text: it has a cue, all together have enough of "
    "them."""
    if piece[-1].rstrip().endswith(("?", "？")):
        return False
    if _SURE.search(piece[0][:_LONGEST_LINE_CHARS]):
        return True
    if not _cues(piece[:1]) and not _opens(piece[0]):
        return False
    return len(_cues(piece)) >= needed


_OPENS = re.compile(
    r"\W{0,3}(?:this|the (?:information|contents?)|diese|die (?:information|in dieser)|ce (?:message|courriel)|este"
    r"|esta|la información"
    r"|as informações|questo|le informazioni|dit|de informatie|detta|informationen|tato|tento|ta wiadomość|treść)\b",
    re.IGNORECASE,
)


def _opens(line: str) -> bool:
    return bool(_OPENS.match(line))


def _cues(piece: Sequence[str]) -> set[str]:
    return {match.group().lower() for line in piece for match in _CUES.finditer(line[:_LONGEST_LINE_CHARS])}


def _at_the_top(lines: Sequence[str], own: Sequence[bool]) -> list[tuple[int, int]]:
    """The first paragraph of the mail, up to the last line that warns of mail from outside."""
    top = paragraphs(lines, 0, len(lines))[:1]
    if not top or not own[top[0][0]]:
        return []
    first, last = top[0]
    warned = [
        n for n in range(first, min(last, first + _MOST_BANNER_LINES)) if _BANNER.search(lines[n][:_LONGEST_LINE_CHARS])
    ]
    return [(first, warned[-1] + 1)] if warned else []
