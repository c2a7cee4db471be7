"""Tells an instruction from its opposite: "enable X" must not answer "how do I disable X" or "X stopped working".

Sentence embeddings put opposites side by side, so this is decided by words: what the ticket asks to be done (or
says is broken) against what a sentence tells the reader to do, when both are about the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.drafting.words import content_stems, normalise

_PAIRS = (
    (r"enabl\w*|activat\w*|re-?enabl\w*", r"disabl\w*|deactivat\w*"),
    (r"turn\w* on|switch\w* on", r"turn\w* off|switch\w* off"),
    (r"install\w*|reinstall\w*|add|adds|adding|added", r"uninstall\w*|remov\w*|delet\w*"),
    (r"allow\w*|unblock\w*|permit\w*", r"block\w*|forbid\w*|prevent\w*"),
    (r"show|shows|showing|unhid\w*|display\w*", r"hid(?:e|es|ing|den)"),
    (r"connect\w*|link(?:ing)?", r"disconnect\w*|unlink\w*"),
    (r"sign\w* in|log\w* in", r"sign\w* out|log\w* out"),
    (r"upgrad\w*|updat\w*", r"downgrad\w*|roll\w* back"),
    (r"import\w*", r"export\w*"),
    (r"subscrib\w*|opt\w* in", r"unsubscrib\w*|opt\w* out"),
    (r"lock(?:ing)?|encrypt\w*", r"unlock\w*|decrypt\w*"),
    (r"pin(?:ning)?", r"unpin\w*"),
    (r"mut(?:e|ing)", r"unmut\w*"),
    (r"start|starts|starting", r"stop|stops|stopping"),
    (r"accept\w*", r"reject\w*|declin\w*"),
)
_SAME = {1: 0, 3: 0, 4: 0}
"""Pairs that mean the same switch: turning on, allowing and showing are ways of enabling."""

_STOPPING = (3, 13)
_STOPPED = re.compile(r"^\S+ (?:(?:\S+ ){1,4}?from )?")
"""In "stop the browser from opening tabs" the thing is the tabs."""

_TURN = re.compile(r"\b(turn\w*|switch\w*) ((?:\S+ ){1,5}?)(on|off)\b")
_ASKING = re.compile(
    r"\b(?:how (?:do|can|could|should|would|to)|want\w*|need\w*|try(?:ing)?|tried|like|wish|able|unable|possible|"
    r"please|can i|can we|could i|can't|cannot|can not|way|help(?: me)?|fail\w*|where (?:do|can))"
    r"(?: (?:i|we|one|you|to|it|me|be|\w+ly))*$"
)
_TELLING = re.compile(
    r"(?:^|[.,;:!?()] ?|\b(?:then|and|or|to|please|can|could|should|must|may|need to|by|of|try|for|when|how))"
    r"(?: \w+ly)?$"
)
_NEGATED = re.compile(r"(?:\b(?:not|never|without|cannot|instead of|no need to|avoid)|n't)(?: \w+)?$")
_BROKEN = re.compile(
    r"((?:[\w-]+ ){1,4})(?:(?:has |have |had |is |are |was )?(?:suddenly |just |now |all )?"
    r"(?:stopped|stops|quit) (?:working|responding|loading|opening|syncing|showing|playing)|"
    r"(?:is|are|was|were|do|does|did|will|won|has|have)(?:n't|'t| not| no longer) "
    r"(?:work|working|worked|load|loading|open|opening|start|starting|show|showing|sync|syncing|play|playing|appear)\b|"
    r"(?:is|are|was|have|has) (?:\w+ )?(?:broken|gone|missing|disappeared|vanished|lost)|no longer \w+|"
    r"disappeared|vanished)"
)


@dataclass(frozen=True, slots=True)
class Action:
    """One side (`on` or not) of a pair of opposites, and the stems of what it is done to."""

    pair: int
    on: bool
    things: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a ticket asks to be done, and the stems of what it says is broken or gone."""

    asked: tuple[Action, ...]
    broken: frozenset[str]


def wish_of(*texts: str) -> Wish:
    """What the texts of one ticket ask for; an action on "it" is one on whatever the texts speak of.

    >>> wish_of("How do I disable cookies?").asked[0].on
    False
    >>> sorted(wish_of("The download panel stopped working").broken)
    ['download', 'panel']
    """
    plain = [normalise(text) for text in texts]
    topic = frozenset(stem for text in plain for stem in content_stems(text))
    asked = [action for text in plain for action, at in _actions(text) if _is_asked(text, at)]
    broken = {thing for text in plain for match in _BROKEN.finditer(text) for thing in content_stems(match.group(1))}
    return Wish(tuple(replace(action, things=action.things or topic) for action in asked), frozenset(broken))


def contradicts(wish: Wish, text: str) -> bool:
    """Whether the text tells to do the opposite of what is wished, and nothing else.

    >>> contradicts(wish_of("How do I disable cookies?"), "Enable cookies in the settings.")
    True
    >>> contradicts(wish_of("How do I disable cookies?"), "You can enable or disable cookies.")
    False
    >>> contradicts(wish_of("My cookies stopped working"), "To disable cookies, press Off.")
    True
    """
    plain = normalise(text)
    told = [action for action, at in _actions(plain) if _is_told(plain[:at].rstrip())]
    sides = {(action.pair, action.on) for action in told}
    return any(_opposes(wish, action) for action in told if (action.pair, not action.on) not in sides)


def _opposes(wish: Wish, action: Action) -> bool:
    if not action.on and action.pair in (0, 2) and action.things & wish.broken:
        return True
    same = [asked for asked in wish.asked if asked.pair == action.pair]
    return any(asked.things & action.things for asked in same) and all(asked.on is not action.on for asked in same)


def _is_asked(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    return not before or bool(_ASKING.search(before[-60:]))


def _is_told(before: str) -> bool:
    """Whether a verb after these words is an instruction, rather than a description or a warning."""
    return bool(_TELLING.search(before[-60:])) and not _NEGATED.search(before)


def _actions(text: str) -> Iterator[tuple[Action, int]]:
    """Actions a normalised text speaks of, each with the offset of its verb."""
    for pair, sides in enumerate(_PAIRS):
        for on, pattern in zip((True, False), sides, strict=True):
            for match in re.finditer(rf"\b(?:{pattern})\b", text):
                things = _things(_STOPPED.sub("", text[match.start() :]) if pair in _STOPPING else text[match.end() :])
                yield Action(_SAME.get(pair, pair), on, things), match.start()
    for match in _TURN.finditer(text):
        yield Action(0, match.group(3) == "on", _things(match.group(2))), match.start()


def _things(after: str) -> frozenset[str]:
    """Stems of the first few words after a verb, up to the end of the clause."""
    clause = re.split(r"[.,;:!?()]| (?:in|from|on|by|when|so|because|if|and|or|but|to|for) ", f"{after} ", maxsplit=1)[
        0
    ]
    return frozenset(content_stems(" ".join(clause.split()[:5])))
