"""How mails end and what a name looks like, as regular expressions: English, German, French, Spanish, Italian and
Portuguese in some depth, sixteen other languages by their usual closing."""

from __future__ import annotations

CLOSING_PHRASES = "|".join(
    (
        r"(?:with )?(?:kind|best|warm|warmest|many|all my)?[ ]?regards|(?:all the )?best(?: wishes)?|cheers",
        r"sincerely(?: yours)?|yours(?: sincerely| faithfully| truly)?|respectfully|take care|br|kr|thx",
        r"(?:many |kind )?thanks(?: a lot| again| in advance| so much| and regards)?",
        r"thank you(?: very much| so much| in advance| again)?",
        r"mit (?:freundlichen|freundlichem|besten|lieben|herzlichen|vielen) gr(?:ü|ue|u)(?:ß|ss)(?:en)?",
        r"(?:freundliche|beste|liebe|viele|herzliche|schöne)[nr]? gr(?:ü|ue|u)(?:ß|ss)e?n?|gr(?:ü|ue)(?:ß|ss)e?",
        r"hochachtungsvoll|mfg|lg|vg|(?:vielen |besten |herzlichen )?dank(?: im voraus)?|danke(?: im voraus)?",
        r"(?:bien |très )?cordialement|bien à (?:vous|toi)|amicalement|bonne journée|merci(?: d'avance| beaucoup)?",
        r"(?:meilleures |sincères )?salutations(?: distinguées)?",
        r"(?:un )?(?:cordial |atento )?saludos?(?: cordial(?:es)?)?|atentamente|un abrazo",
        r"(?:muchas )?gracias(?: de antemano)?",
        r"(?:cordiali|distinti|cari|tanti) saluti|saluti|cordialmente|a presto",
        r"(?:molte )?grazie(?: mille)?(?: in anticipo)?",
        r"(?:com os melhores )?cumprimentos|atenciosamente|(?:muito )?obrigad[oa]|abraços?",
        r"(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|groet(?:jes|en)?|hoogachtend|(?:alvast )?bedankt",
        r"pozdrawiam(?: serdecznie)?|z poważaniem|z wyrazami szacunku|(?:serdeczne )?pozdrowienia"
        r"|dziękuję(?: z góry)?",
        r"(?:med )?(?:vänliga?|bästa) hälsning(?:ar)?|hälsningar|mvh|tack(?: på förhand)?",
        r"(?:med )?(?:venlige?|vennlige?|bedste|beste) hilsen(?:er)?|hilsen|kh|takk?(?: på forhånd)?",
        r"s (?:přátelským )?pozdravem|zdravím|děkuji(?: předem)?|s pozdravom|ďakujem|(?:ystävällisin )?terveisin"
        r"|kiitos",
        r"üdvözlettel|tisztelettel|köszönettel|cu (?:stimă|respect)|mulțumesc|saygılarımla|teşekkürler",
        r"с уважением|спасибо|з повагою|дякую|με εκτίμηση|此致|谢谢|謝謝|敬上|감사합니다",
        r"(?:どうぞ)?(?:よろしく|宜しく)お願い(?:いた|致)?します|ありがとうございます|敬具|以上",
    )
)
"""Alternatives, to be matched without regard to case."""

UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ" + "".join(filter(str.isupper, map(chr, range(0x100, 0x180))))
"""Capital letters, for the inside of a character class."""

_PARTICLE = r"(?:de|del|della|delle|dei|da|dos|di|van|von|vom|zu|zum|den|der|la|le|el|al|bin|ibn|af|ter|ten|y|e)"
_CAPITALISED = rf"(?:(?:[{UPPER}]\.){{1,3}}|[{UPPER}][\w'’-]{{0,40}}(?![\w'’-]))"
_MORE = rf"(?:[ ](?:{_PARTICLE}[ ]){{0,2}}(?:d['’])?{_CAPITALISED})"

NAME = rf"(?:{_CAPITALISED}{_MORE}{{0,3}})"
"""One to four capitalised words, with the small words of names between them. Case counts."""

FULL_NAME = rf"(?:{_CAPITALISED}{_MORE}{{1,3}})"
"""The same with two words at least."""
