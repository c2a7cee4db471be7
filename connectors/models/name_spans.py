"""From the tokens of the classifier to names and places: whole words, their neighbours, and what belongs between them.

Pure: everything here works on the text and the tokens' probabilities.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from connectors.models.countries import COUNTRY
from core.domain.passage import Span
from core.domain.redaction import Entity

if TYPE_CHECKING:
    from connectors.models.rampart import Token

NAME_FROM = 0.07
"""A capitalised word within a sentence is a name when the classifier is this sure that it is anything at all."""
FIRST_NAME_FROM = 0.2
"""For the first word of a sentence or line."""
LOWER_NAME_FROM = 0.5
"""For a lower-case word in a text that capitalises others."""
ALONE_NAME_FROM = 0.1
"""For a lower-case word on a line of its own, or in front of an e-mail address: there people sign."""
PLACE_FROM = 0.2
LOWER_PLACE_FROM = 0.6
STREET_FROM = 0.5
NEAR_FROM = 0.05
"""For a word between two that are sure."""

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n])[\s>\"'(*-]*$")
_ALONE = re.compile(
    r"(?m:^)[>|*\t ]*[^\W\d_]+(?:[ .'’-]{1,2}[^\W\d_]+){1,3}[ ]*(?=[—–|,·-]|\n|\Z)"
    r"|[^\W\d_]+(?:[ ][^\W\d_]+){1,2}(?=[ ]<\S+@)"
)
_NOT_OF_PLACES = re.compile(r"\d+(?:\.\d+)+|\d{3,}-[^\W\d]{3,}")
_POSSESSIVE = re.compile(r"['’]s$")
_PARTICLE = re.compile(
    r"(?:de|del|della|delle|di|da|dos|das|do|du|des|la|le|les|el|van|von|der|den|dem|ter|ten|zu|zum|zur|of|and|y|e|i|und"
    r"|et|bin|ibn|al|a|an|am|im|in|près|sur|sous|bei|nad)"
)
_UNIT = re.compile(
    r"(?i:apt|apartment|suite|ste|unit|box|flat|floor|fl|room|rm|building|bldg|block|blk|lot|psc|p\.?o|postfach|apartado"
    r"|wohnung|whg|stock|etage|étage|bâtiment|bât|appartement|piso|planta|puerta|escalera|esc|scala|interno|int|andar"
    r"|apartamento|bloco|corner|no|nr|ul|str|via|rue|c|dpo|apo|fpo|cedex|bp|cp)"
)
_BEFORE_ADDRESS = re.compile(
    r"(?:\bthe corner of[ ]|(?<![\w.])(?i:p\.?[ ]?o\.?[ ]?box|postfach|apartado|unit|psc|box|apt\.?|suite|ul\.?)[ ])$"
    r"|(?<![\w.,:/-])\d{1,6}[a-z]?[ ]$"
)
_AFTER_ADDRESS = re.compile(
    r"^[ ]?,?\s{0,8}(?:(?i:apt\.?|suite|box|unit|flat|floor|room)[ ]#?\d{1,5}[A-Za-z]?\b"
    r"|(?i:[afd]po[ ]a[aep][ ])\d{5}|\d{4,6}(?!\S*\d)(?![\w@:]))"
)
_CAPITALISED = r"[^\W\d_a-zà-ÿ][^\W\d_]+(?:[-'’][^\W\d_]+)*"
_NAME_GAP = re.compile(r"[ ]{1,2}|[ ]?[-'’.][ ]?")
_INITIAL = re.compile(r"[ ][A-Za-z]\.?[ ]")
_SURNAME = re.compile(rf"\.?[ ]{_CAPITALISED}")
_INITIAL_AND_SURNAME = re.compile(rf"[ ][A-Z]\.?[ ]{_CAPITALISED}")
_INITIAL_AT_END = re.compile(r"[ ][A-Z]$")
_INITIAL_BEFORE = re.compile(rf"(?<![\w.]){_CAPITALISED}[ ][A-Z]\.?[ ]$")
_PLACE_GAP = re.compile(r"[\s,.#/()–-]{1,40}")
_FOREIGN = re.compile(r"(?<!\w)[Α-ΡΣ-ΫА-Я][\wάΆ∆-]{2,}(?:[ ][Α-ΡΣ-ΫА-Я][\wάΆ∆-]+)*")
_HOME = re.compile(
    r"\b(?i:(?:live[sd]?|living|born|grew up|resid(?:e[sd]?|ing)|home)[ ](?:in|at|near)"
    r"|(?:originally|moved(?:[ ]here)?|i am|i['’]m)[ ]from|home ?(?:city|town)(?:[ ]of)?"
    r"|(?:wohn(?:e|t|haft)|geboren)[ ](?:in|bei)|(?:j['’])?habit(?:e|ons)[ ]à|née?[ ]à"
    r"|viv(?:o|e|imos)[ ]en|nacid[oa][ ]en|(?:abit|viv)(?:o|iamo)[ ]a|nat[oa][ ]a"
    r"|mor(?:o|amos)[ ]em|nascid[oa][ ]em)"
    rf"[ ](?P<place>{_CAPITALISED}(?:[ ]{_CAPITALISED}){{0,2}})"
)
_SENTENCE_END = re.compile(r"[a-z]{4,}\.\s|\n[ \t]*\n[ \t]*\n")
_POSTCODE_CUE = re.compile(r"(?i:\bzip\b|post(?:al)?[ -]?code|\bplz\b|postleitzahl|code postal|código postal|\bcap\b)")
MOST_WORDS_BETWEEN = 3
MOST_FOREIGN = 3
"""More runs of words in another script are another language, not names."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text with the highest probabilities of its tokens."""

    span: Span
    text: str
    is_first: bool = False
    is_alone: bool = False
    anything: float = 0.0
    name: float = 0.0
    address: float = 0.0
    street: float = 0.0
    postcode: float = 0.0

    @property
    def is_lower(self) -> bool:
        return self.text[:1].islower()


def words_of(text: str, tokens: Sequence[Token]) -> list[Word]:
    """Every word, whether the classifier saw it or not."""
    alone = _marked(text, _ALONE)
    words = [_word(text, match, alone) for match in _WORD.finditer(text)]
    starts = [word.span.start for word in words]
    for token in tokens:
        place = bisect_right(starts, token.span.start) - 1
        if place >= 0 and token.span.start < words[place].span.end:
            words[place] = _raised(words[place], token)
    return words


def _word(text: str, match: re.Match[str], alone: bytearray) -> Word:
    before = text[max(0, match.start() - 8) : match.start()]
    span = _without_possessive(match)
    return Word(
        span,
        match.group(),
        is_first=bool(_SENTENCE_START.search(before)),
        is_alone=bool(alone[span.start]),
    )


def _marked(text: str, regex: re.Pattern[str]) -> bytearray:
    """1 for each character of a match, else 0."""
    marks = bytearray(len(text))
    for match in regex.finditer(text):
        marks[match.start() : match.end()] = b"\1" * len(match.group())
    return marks


def _without_possessive(match: re.Match[str]) -> Span:
    cut = _POSSESSIVE.search(match.group())
    return Span(match.start(), match.start() + cut.start() if cut else match.end())


def _raised(word: Word, token: Token) -> Word:
    return replace(
        word,
        anything=max(word.anything, token.anything),
        name=max(word.name, token.name),
        address=max(word.address, token.address),
        street=max(word.street, token.street),
        postcode=max(word.postcode, token.postcode),
    )


def without_unwanted(words: Sequence[Word], never: Container[str], seldom: Container[str]) -> Iterator[Word]:
    """The words, some of them emptied (case-folded): those of `never`, and words right beside them ("Linux Mint"), are
    no part of a place, those of `seldom` only of a street."""
    unwanted = [word for word in words if word.text.casefold() in never]
    ends = {word.span.end + 1 for word in unwanted}
    starts = {word.span.start - 1 for word in unwanted}
    for word in words:
        folded = word.text.casefold()
        beside = word.span.start in ends or word.span.end in starts
        rare = folded in seldom and word.street < STREET_FROM
        yield Word(word.span, word.text) if folded in never or beside or rare else word


def find_names(text: str, words: Sequence[Word]) -> list[Entity]:
    """Persons: runs of name words, with the initial and the surname that follow a given name.

    A lower-case word at the end of a run that has a capitalised one belongs to it only when it is a particle between.
    """
    sure = _is_name if any(not word.is_lower and len(word.text) > 1 for word in words) else _is_name_in_lower_text
    runs = _runs(text, words, sure, _joins_name)
    names = [_entity("PERSON", run) for run in map(_without_lower_ends, runs) if run]
    return [name for name in names if not (_is_code(text, name.span) or _is_owned(text, name.span))]


def _is_code(text: str, span: Span) -> bool:
    """A call, an index, a part of a longer identifier."""
    return text[span.end : span.end + 1] in ("(", "[", "_", "=")


def _is_owned(text: str, span: Span) -> bool:
    """Lower-case words behind a possessive are what somebody has: "Bryan's keys"."""
    return text[span.start].islower() and bool(re.search(r"['’]s[ ]$", text[max(0, span.start - 3) : span.start]))


def _is_name(word: Word) -> bool:
    lower = ALONE_NAME_FROM if word.is_alone else LOWER_NAME_FROM
    least = lower if word.is_lower else FIRST_NAME_FROM if word.is_first else NAME_FROM
    return word.anything >= least and word.name >= word.address and word.name >= word.anything / 3


def _is_name_in_lower_text(word: Word) -> bool:
    return _is_name(replace(word, text=word.text.capitalize(), is_first=True))


def _joins_name(text: str, between: Sequence[Word], one: Word, other: Word) -> bool:
    gap = text[one.span.end : other.span.start]
    return bool(_NAME_GAP.fullmatch(gap) or _INITIAL.fullmatch(gap)) and "'" not in gap


def _without_lower_ends(run: Sequence[Word]) -> Sequence[Word]:
    if all(word.is_lower for word in run):
        return run
    while run and run[0].is_lower and not _PARTICLE.fullmatch(run[0].text):
        run = run[1:]
    while run and run[-1].is_lower:
        run = run[:-1]
    return run


Sure = Callable[[Word], bool]
Joins = Callable[[str, Sequence[Word], Word, Word], bool]


def _runs(text: str, words: Sequence[Word], sure: Sure, joins: Joins) -> Iterator[list[Word]]:
    """Sure words with the words between those that are joined."""
    run: list[Word] = []
    last = -1
    for place, word in enumerate(words):
        if not sure(word):
            continue
        if run and joins(text, words[last + 1 : place], run[-1], word):
            run += words[last + 1 : place + 1]
        else:
            if run:
                yield run
            run = [word]
        last = place
    if run:
        yield run


def _entity(kind: str, run: Sequence[Word]) -> Entity:
    score = max(word.anything for word in run)
    return Entity(kind, Span(run[0].span.start, run[-1].span.end), min(1.0, max(score, NEAR_FROM)), "rampart")


def grown_names(text: str, names: Sequence[Entity]) -> list[Entity]:
    """Names with the initial and capitalised word that follow them on the same line: "Ken" in "Ken N. Fukuda"."""
    grown = []
    for name in names:
        start, end = name.span.start, name.span.end
        before = _INITIAL_BEFORE.search(text[max(0, start - 60) : start])
        initial = _INITIAL_AT_END.search(text[start:end])
        rest = (_SURNAME if initial else _INITIAL_AND_SURNAME).match(text[end : end + 60])
        grown.append(
            Entity(
                name.kind,
                Span(start - (len(before.group()) if before else 0), end + (rest.end() if rest else 0)),
                name.score,
                name.reason,
            )
        )
    return grown


def apart(text: str, places: Iterable[Entity], names: Sequence[Entity]) -> Iterator[Entity]:
    """The places, without a name that stands on the line before them or after them."""
    for place in places:
        start, end = place.span.start, place.span.end
        for name in names:
            if name.span.start <= start < name.span.end < end and _breaks(text[name.span.end : end].lstrip(" ,")):
                start = name.span.end
            elif start < name.span.start < end <= name.span.end and _breaks(
                text[start : name.span.start].rstrip(" ")[::-1]
            ):
                end = name.span.start
        yield Entity(place.kind, Span(start, end), place.score, place.reason)


def _breaks(text: str) -> bool:
    return text.startswith("\n")


def find_places(text: str, words: Sequence[Word]) -> list[Entity]:
    """`ADDRESS` for what has a street, a number or a postcode, `LOCATION` for a town, region or country alone."""
    countries = _marked(text, COUNTRY)
    marked = [_with_country(word, countries) for word in words]
    places = []
    for run in _runs(text, marked, _is_place, _joins_place):
        kept = _trimmed(run)
        if kept:
            places.append(_place(text, kept))
    return [place for place in places if _is_whole(text, place)]


def _with_country(word: Word, countries: bytearray) -> Word:
    if countries[word.span.start]:
        return replace(word, anything=max(word.anything, 0.6), address=1.0, name=0.0)
    return word


def _is_place(word: Word) -> bool:
    least = LOWER_PLACE_FROM if word.is_lower else PLACE_FROM
    return word.address >= least and word.address >= word.name and not _NOT_OF_PLACES.fullmatch(word.text)


def _joins_place(text: str, between: Sequence[Word], one: Word, other: Word) -> bool:
    gap = text[one.span.end : other.span.start]
    if _SENTENCE_END.search(gap) or len(between) > MOST_WORDS_BETWEEN or gap.count("\n") > 2:
        return False
    if not between:
        return bool(_PLACE_GAP.fullmatch(gap))
    bare = re.sub(r"[\s,.#/()–-]+|[^\W_]+", "", gap)
    return not bare.strip("'’") and all(map(_may_stand_between, between))


def _may_stand_between(word: Word) -> bool:
    return not _NOT_OF_PLACES.fullmatch(word.text) and (
        word.text.isdecimal()
        or bool(_UNIT.fullmatch(word.text.rstrip(".")))
        or bool(_PARTICLE.fullmatch(word.text))
        or (word.text.isupper() and len(word.text) <= 3)
        or word.address >= NEAR_FROM
        or (not word.is_lower and word.name >= NEAR_FROM)
    )


def _trimmed(run: Sequence[Word]) -> Sequence[Word]:
    """Without lower-case words at the ends of a run that has capitals or digits."""
    return run if all(word.is_lower for word in run) else _without_lower_ends(run)


def _place(text: str, run: Sequence[Word]) -> Entity:
    found = _entity("LOCATION", run)
    start = _grown_left(text, found.span.start)
    end = _grown_right(text, found.span.end)
    has_number = any(letter.isdigit() for letter in text[start:end])
    has_street = any(word.street >= STREET_FROM for word in run)
    kind = "ADDRESS" if has_number or has_street else "LOCATION"
    if kind == "LOCATION":
        return found
    return Entity(kind, Span(start, end), found.score, found.reason)


def _grown_left(text: str, start: int) -> int:
    while match := _BEFORE_ADDRESS.search(text[max(0, start - 20) : start]):
        start -= len(match.group())
    return start


def _grown_right(text: str, end: int) -> int:
    while match := _AFTER_ADDRESS.match(text[end : end + 40]):
        end += match.end()
    return end


def _is_whole(text: str, place: Entity) -> bool:
    """Not a number alone, unless it is said to be a postcode."""
    piece = text[place.span.slice]
    if re.search(r"[^\W\d_]{2}", piece):
        return True
    return bool(_POSTCODE_CUE.search(text[max(0, place.span.start - 30) : place.span.start]))


def find_homes(text: str) -> list[Entity]:
    """Towns named where people say where they live or come from, in six languages."""
    return [Entity("LOCATION", Span(*match.span("place")), 0.6, "place of living") for match in _HOME.finditer(text)]


def find_foreign(text: str) -> list[Entity]:
    """Capitalised words in Greek or Cyrillic script within a text that is mostly Latin: names of people or places."""
    foreign = list(_FOREIGN.finditer(text))
    latin = sum("a" <= letter <= "z" for letter in text.lower())
    if len(foreign) > MOST_FOREIGN or latin < sum(len(match.group()) for match in foreign):
        return []
    return [Entity("PERSON", Span(*match.span()), 0.5, "foreign script") for match in foreign]
