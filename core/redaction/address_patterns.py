"""Postal addresses: streets with a number in the order of six languages, post-office boxes, what is called an address.

A model finds what has no such shape. Streets named by people of every language end or begin with few words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.mail.phrases import UPPER
from core.redaction.pattern import Pattern
from core.redaction.technical import ALLOWED, is_everyday

_CAP = rf"[{UPPER}][\w'’.-]{{0,40}}"
_NUMBER = r"\d{1,5}[ ]?(?:[a-zA-Z]\b)?(?:[/-]\d{1,4}[a-zA-Z]?\b)?"
_SMALL = (
    r"(?:de|del|de la|de las|de los|du|des|la|las|los|le|les|el|y|e|i|dos|das|do|da|di|della|delle|dei|degli|al|aux?"
    r"|à|sur|sous|en|et"
    r"|den|der|dem)"
)
_NAMES = rf"(?:(?:{_SMALL}[ ]|[dlDL]['’]){{0,3}}{_CAP}(?:[ ](?:{_SMALL}[ ]|d['’]|l['’]){{0,3}}{_CAP}){{0,5}})"
_CITY = rf"(?:[{UPPER}][\w'’.-]{{1,40}}(?:[ /-](?:{_SMALL}[ ])?[{UPPER}][\w'’.-]{{1,40}}){{0,3}})"
_UNIT = (
    r"(?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|Rm|Piso|Planta|Puerta|Piano|Appartamento|Interno|Int|Andar"
    r"|Etage|Stock"
    r"|Wohnung|Whg|Appartement|Bâtiment|Bât|Étage|Esc|Bloco|Apartamento)\.?[ ]?#?\w{1,5}|\#\d{1,5})"
)
_ZIP_CITY = (
    rf"(?:(?:[A-Z]{{1,2}}-)?\d{{4,5}}(?:-\d{{3}})?,?[ ]{_CITY}(?:[ ]\([A-Z]{{2}}\))?|\d{{4}}[ ]?[A-Z]{{2}}[ ]{_CITY}"
    rf"|{_CITY},?[ ](?:[A-Z]{{2}}[ ]\d{{5}}(?:-\d{{4}})?|[A-Z]{{1,2}}\d[A-Z\d]?[ ]\d[A-Z]{{2}}|\d{{5}}(?:-\d{{3}})?)"
    r"|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2})"
)
_TAIL = rf"(?:,?[ ]{{0,2}}{_UNIT}){{0,2}}(?:[ ]?,?[ \t]{{0,2}}\n?[> \t]{{0,4}}{_ZIP_CITY}(?!\w))?"
_ENGLISH = (
    r"(?:street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|court|ct|boulevard|blvd|way|ways|place|pl|square|squares|sq"
    r"|terrace|ter"
    r"|crescent|cres|close|parkway|pkwy|highway|hwy|circle|circles|cir|trail|trl|mews|row|walk|gardens?|grove|groves"
    r"|hills?|quay"
    r"|alley|loop|plaza|turnpike|expressway|freeway|causeway|crossing|esplanade|bypass|motorway|throughway|skyway"
    r"|stravenue"
    r"|station|junction|junctions|islands?|isle|mall|manors?|meadows?|mountains?|oval|pass|path|pike|pines|points?"
    r"|ports?|prairie"
    r"|radial|ranch|rapids?|rest|ridges?|river|roads|rue|run|shores?|springs?|spurs?|summit|tunnel|union|valleys?"
    r"|viaduct|views?"
    r"|villages?|ville|vista|wall|wells?|harbors?|heights|haven|hollow|inlet|keys?|knolls?|lakes?|landing|light"
    r"|lights|locks?"
    r"|lodge|mission|orchard|overpass|park|parks|parkways|passage|plains?|fords?|forest|forge|forks?|fort|field"
    r"|fields|ferry|falls"
    r"|extensions?|estates?|divide|dam|dale|curve|creek|cove|courts|corners?|common|coves|cliffs?|centers?|centre"
    r"|canyon|camp|burgs?"
    r"|brooks?|bridge|branch|bottom|bluffs?|bend|beach|bayou|arcade|annex)"
)
_COMMON_ENGLISH = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Court|Boulevard|Blvd|Way|Place|Square|Terrace|Crescent|Close"
    r"|Parkway|Pkwy"
    r"|Highway|Hwy|Circle|Mews|Gardens|Grove|Quay|Row|Walk|Hill)"
)
_GERMAN = (
    r"(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Dd]amm|(?<![äa])[Uu]fer|[Ss]teig|[Cc]haussee"
    r"|[Gg]raben"
    r"|[Pp]romenade|(?<=-)Ring|(?<![eoaBb])(?<![DdSs][upt])ring)"
)
_CALLED = (
    r"(?:(?:my|our|the|home|postal|mailing|shipping|delivery|billing|street|new|private|current"
    r"|office)[ ]){1,2}address|address(?=[ ]?:)"
    r"|(?:send|ship|deliver|post|mail)(?:[ ][^\W\d]+){0,4}[ ]to|(?:i|we|he|she|who)[ ](?:live|lives|reside"
    r"|resides)[ ](?:at|in)"
    r"|(?:meine|unsere|die|neue|ihre|private)[ ](?:neue[ ])?(?:post|liefer|rechnungs|wohn|privat)?(?:adresse|anschrift)"
    r"|(?:post|liefer|rechnungs|wohn)?(?:anschrift|adresse)(?=[ ]?:)|wohne(?:[ ]in| im| am)?|wohnhaft(?:[ ]in)?"
    r"|(?:mon|notre|l['’])[ ]?adresse(?:[ ]postale)?|j['’]habite(?:[ ](?:au|à))?|nous habitons(?:[ ]au)?|domicilié"
    r"(?:e)?(?:[ ](?:au|à))?"
    r"|(?:mi|nuestra|la)[ ]dirección(?:[ ]postal)?|dirección(?=[ ]?:)|vivo en|vivimos en|domicilio|domiciliad[oa] en"
    r"|(?:il mio|il nostro|l['’])[ ]?indirizzo(?:[ ](?:di casa|postale))?|indirizzo(?=[ ]?:)|abito in|residente in"
    r"|residenza"
    r"|(?:a )?(?:minha|nossa)[ ](?:morada|direção)|(?:o )?(?:meu|nosso)[ ]endereço|morada(?=[ ]?:)|endereço(?=[ ]?:)"
    r"|moro (?:na|no|em)"
    r"|resido (?:na|no|em)"
)
_COPULA = r"(?:[ ](?:is|was|has changed to|ist|lautet|est|es|è|é|changed to)(?:[ ]now)?)?"
_POSTCODE = (
    r"zip(?:[ ]?code)?|post(?:al)?[ -]?code|plz|postleitzahl|code postal|c\.?p\.?|código postal|cep|codice postale|cap"
)


def _is_street(match: re.Match[str]) -> bool:
    """Not every word a technical one: "Via Outlook 365", "Plaza 5"."""
    words = re.findall(r"[^\W\d_]{2,}", match.group())
    return any(word.casefold() not in ALLOWED and not is_everyday(word) for word in words[1:] or words)


def _is_called_address(match: re.Match[str]) -> bool:
    """A number and a word with a capital, and nothing that another kind of address has."""
    value = match.group("value")
    words = [word for word in re.findall(rf"(?<!\w)[{UPPER}][\w'’-]+", value) if word.casefold() not in ALLOWED]
    return bool(words and _HOUSE.search(value)) and not re.search(
        r"[@\\_={}<>]|://|0x|\d:\d|\d\.\d+\.\d|\w\.\w{2,4}/", value
    )


_HOUSE = re.compile(
    r"\d|\bS/N\b|\A(?i:rue|avenue|boulevard|chemin|impasse|allée|place|route|via|viale|piazza|calle|plaza|rua|largo"
    r"|travessa"
    r"|avenida|praça)\b"
)


def _is_postcode(match: re.Match[str]) -> bool:
    return any(map(str.isdigit, match.group("value")))


def _pattern(name: str, expression: str, score: float = 0.85) -> Pattern:
    return Pattern("ADDRESS", name, re.compile(rf"(?:{expression})(?<![.,;])"), _is_street, score)


ADDRESS_PATTERNS = (
    _pattern(
        "street_english",
        rf"(?<![\w.,:/#-])(?:(?:Flat|Unit|Apt\.?|Apartment|Suite|Studio)[ ]\w{{1,5}},?[ \n])?\d{{1,6}}[A-Za-z]?"
        rf"(?:[-/]\d{{1,4}})?,?[ ]"
        rf"(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.?[ ])?(?:{_CAP}[ ]|\d{{1,3}}(?:st|nd|rd"
        rf"|th)[ ]){{1,3}}{_COMMON_ENGLISH}\b\.?"
        rf"(?:[ ](?:N|S|E|W|NE|NW|SE|SW)\b\.?)?{_TAIL}",
    ),
    _pattern(
        "street_english_unit",
        rf"(?<![\w.,:/#-])(?:(?:Flat|Unit|Apt\.?|Apartment|Suite|Studio)[ ]\w{{1,5}},?[ \n](?:\d{{1,5}}[ ])?"
        rf"|\d{{2,6}}[ ](?={_CAP}(?:[ ]{_CAP})?[ ]\w+,?[ ](?:Apt|Suite|Unit)))"
        rf"{_CAP}(?:[ ]{_CAP})?[ ](?i:{_ENGLISH})\b{_TAIL}",
    ),
    _pattern(
        "street_german",
        rf"(?<![\w-])(?:[{UPPER}][\w.-]{{0,40}}[ ]){{0,2}}(?!(?:Speicher|Arbeits|Stell|Steck|Lauf|Aus|Um|Rück"
        rf"|Daten)[a-z])"
        rf"[{UPPER}][\w.-]{{0,40}}?-?{_GERMAN}[ ]{_NUMBER}(?!\w|[.:]\d|[ ]?(?:[KMGT]i?B|%|€|Euro)\b){_TAIL}",
    ),
    _pattern(
        "street_german_city",
        rf"(?<![\w-])[{UPPER}][\w.-]{{0,40}}?-?(?:[Ss]tieg|[Mm]arkt|[Pp]fad|[Kk]amp|[Hh]of|[Bb]erg|[Tt]or|[Ww]all"
        rf"|[Gg]arten"
        rf"|[Aa]ue|[Hh]öhe"
        rf"|[Ff]eld|[Bb]ach|[Tt]al|[Ww]inkel|[Gg]rund|[Bb]usch|[Hh]eide)[ ]{_NUMBER},?[ ]?\n?[> \t]{{0,4}}"
        rf"(?:[A-Z]{{1,2}}-)?\d{{4,5}}[ ]{_CITY}",
    ),
    _pattern(
        "street_german_preposition",
        rf"(?<![\w-])(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Unter den|Zum|Zur|Alter|Alte|Neuer|Neue"
        rf"|Lange)[ ]{_CAP}(?:[ ]{_CAP})?[ ]{_NUMBER},?"
        rf"[ \t]?\n?[> \t]{{0,4}}(?:[A-Z]{{1,2}}-)?\d{{4,5}}[ ]{_CITY}",
    ),
    _pattern(
        "street_french",
        rf"(?<![\w.,:/#-])\d{{1,4}}(?:[ ]?(?:bis|ter|quater|[A-Da-d])\b)?,?[ ](?i:rue|avenue|av\.|boulevard|bd\.?|bld"
        rf"|place|pl\.|chemin|allées?|impasse|quai|route|rte|cours"
        rf"|square|passage|sentier|faubourg|voie|villa|résidence|hameau|lotissement|esplanade)[ ]{_NAMES}{_TAIL}",
    ),
    _pattern(
        "street_french_bare",
        rf"(?<![\w.,:/#-])(?:rue|boulevard|avenue|impasse)[ ]{_NAMES}(?:(?=[.,;\n])|\Z){_TAIL}",
        score=0.6,
    ),
    _pattern(
        "street_iberian_italian",
        rf"(?<![\w-])(?:(?:(?i:C/|C\.[ ]|Calle|Avda?\.?|Avenida|Av\.?|Plaza|Pza\.?|Paseo|Pº|Camino|Carretera|Ctra\.?"
        rf"|Ronda|Rambla|Travesía|Urbanización|Urb\.|Vial|Pasaje|Cuesta"
        r"|Glorieta|Callejón|Cañada|Acceso|Alameda|Pasadizo|Rua|Praça|Praceta|Travessa|Tv\.|Largo|Estrada|Rodovia"
        r"|Beco|Calçada|Rotunda|Caminho|Escadas|Vereda|Viaduto|Quinta"
        r"|Viale|V\.le|Piazza|P\.zza|Piazzale|Corso|C\.so|Vicolo|Strada|Contrada|C\.da|Borgo|Lungomare|Lungotevere"
        r"|Lungarno|Salita|Stretto|Incrocio|Rotonda)|Via|R\.|Al\.|Canale|Vico)"
        rf"[ ]?{_NAMES},?[ ](?:n\.?[ºo°]?\.?[ ]?|núm\.?[ ]?|número[ ])?(?:{_NUMBER}|S/N|s/n)(?!\w|[.:]\d){_TAIL})",
    ),
    _pattern(
        "us_city_zip",
        rf"(?<![\w'’.-]){_CITY},[ ]"
        rf"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]"
        rf"|T[NX]|UT|V[AT]|W[AIVY])[ ]\d{{5}}(?:-\d{{4}})?(?![\w-])",
    ),
    Pattern(
        "ADDRESS",
        "uk_postcode",
        re.compile(r"(?<![\w-])(?:[A-PR-UWYZ][A-HK-Y]?\d[\dA-HJKPSTUW]?)[ ]\d[ABD-HJLNP-UW-Z]{2}(?![\w-])"),
        score=0.6,
    ),
    Pattern("ADDRESS", "german_city", re.compile(rf"(?<!\w)(?:D|A|CH|F|I|E)-\d{{4,5}}[ ]{_CITY}"), score=0.8),
    Pattern(
        "ADDRESS",
        "po_box",
        re.compile(
            r"(?<!\w)(?:(?:P\.?[ ]?O\.?[ ]?Box|Post Office Box|Postfach|Boîte postale|B\.?P\.?(?=[ ]\d{2,})|Apartado"
            r"(?: de correos| postal)?|Apdo\.?(?: de correos)?"
            r"|Casella postale|Caixa postal|PSC)[ ]?(?:n[º°.]?[ ]?)?\d{1,3}(?:[ ]?\d{1,3}){0,2})" + _TAIL,
            re.IGNORECASE,
        ),
    ),
    Pattern(
        "ADDRESS",
        "postcode_announced",
        re.compile(
            rf"(?<!\w)(?:{_POSTCODE})[ ]?(?:is|ist|est|es|è|é|:|=)?[ ]{{0,2}}(?P<value>[A-Z]{{0,2}}-?\d[A-Z\d]{{1,4}}"
            rf"(?:[ -][A-Z\d]{{2,4}})?)(?![\w.])",
            re.IGNORECASE,
        ),
        _is_postcode,
        0.7,
    ),
)

_ANNOUNCED = re.compile(
    rf"(?<!\w)(?i:{_CALLED}){_COPULA}[ ]?:?[ \t]{{0,3}}"
    r"(?P<value>(?:[^\n.;:!?()\"“”]|\.(?=[ ]?\w{1,30}[ ]?\d)|\.(?=\w)){5,110})(?=[\n.;:!?)\"“”]|\Z)"
)
_LOWER_END = re.compile(r"(?:[ ,]+[^\W\dA-ZÀ-Þ_][^\W\d_]*)+[ ,]*\Z")


def _begin(value: str) -> int:
    """Where the first word with a capital or a digit starts, or the word for a street in front of it; after "of
    somebody is" where that comes first."""
    owner = re.match(r"[ ]{0,3}of[ ][^\n]{1,60}?[ ](?:is|has changed to)[ ]", value)
    skipped = owner.end() if owner else 0
    streets = r"rue|avenue|boulevard|chemin|impasse|allée|place|route|via|calle|rua"
    first = re.search(rf"(?<!\w)(?:[{UPPER}\d]|(?i:{streets})\b)", value[skipped:])
    return skipped + first.start() if first else 0


def find_announced_addresses(text: str) -> Iterator[Entity]:
    """What follows "my address is" to the end of the sentence, without the lower-case words at its end."""
    for match in _ANNOUNCED.finditer(text):
        if _is_called_address(match):
            begun = match.group("value")[_begin(match.group("value")) :]
            value = _LOWER_END.sub("", begun)
            start = match.end("value") - len(begun)
            yield Entity("ADDRESS", Span(start, start + len(value)), 0.7, "pattern:address_announced")
