"""What kind of question a ticket is, by words that anybody can read and change: no model, no training.

An installation may add domains of its own with their cue words (ESOFinder had seven). A class only matters where
weights are set for it: how much the dense run counts, and each kind of collection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.access import Kind
from core.errors import BadInput
from core.retrieval.analysis import analyse, identifiers

IDENTIFIERS, HOW_TO, ERROR, ACCOUNT, POLICY, OTHER = "identifiers", "how-to", "error", "account", "policy", "other"

DENSE = "dense"
MANY_IDENTIFIERS = 0.12
"""Share of identifiers among a text's words from which it is code or a log rather than prose."""

CUES: Mapping[str, tuple[str, ...]] = {
    ERROR: (
        "error", "fails", "failed", "crash", "crashes", "exception", "traceback", "not working", "does not work",
        "doesn't work", "won't", "cannot", "can't", "broken", "stuck", "freezes", "stopped", "unable",
    ),
    ACCOUNT: ("account", "password", "login", "log in", "sign in", "2fa", "two-step", "verification", "username"),
    POLICY: ("policy", "terms", "licence", "license", "allowed", "refund", "privacy", "gdpr", "deadline", "cost"),
    HOW_TO: ("how do i", "how to", "how can i", "where do i", "where can i", "is there a way", "can i", "steps"),
}  # fmt: skip
"""A class by the cues it is known by; the class with the most distinct cues wins, the earlier one of equals."""


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """What changes for one class: the dense run's weight, and the weight of a kind of collection. Empty: nothing."""

    dense: float | None = None
    kinds: Mapping[Kind, float] = field(default_factory=dict)


def query_class(text: str, domains: Mapping[str, Sequence[str]]) -> str:
    """The class of a ticket's text.

    >>> query_class("How do I change my password?", {})
    'account'
    >>> query_class("How can I print in two columns?", {})
    'how-to'
    >>> query_class("The deadline of my proposal", {"proposals": ("proposal", "phase 1")})
    'proposals'
    >>> query_class("astroquery.eso Eso.login() eso_login.py keyring.backends", {})
    'identifiers'
    """
    words = " ".join(re.findall(r"[\w'-]+", text.casefold().replace("’", "'")))
    counts = {name: _cues(words, cues) for name, cues in {**domains, **CUES}.items()}
    own = [name for name in domains if counts[name]]
    if own:
        return max(own, key=lambda name: counts[name])
    whole = identifiers(text)
    if len(whole) > MANY_IDENTIFIERS * max(len(analyse(text)), 1):
        return IDENTIFIERS
    best = max(CUES, key=lambda name: counts[name])
    return best if counts[best] else OTHER


def weighted(
    kinds: Mapping[Kind, float], dense_weight: float, weights: ClassWeights | None
) -> tuple[dict[Kind, float], float]:
    """The weights of the collections and of the dense run after a class has changed them.

    >>> weighted({Kind.DOCS: 1.0, Kind.TICKETS: 0.8}, 0.7, ClassWeights(0.5, {Kind.TICKETS: 2.0}))
    ({<Kind.DOCS: 'docs'>: 1.0, <Kind.TICKETS: 'tickets'>: 1.6}, 0.5)
    """
    if weights is None:
        return dict(kinds), dense_weight
    changed = {kind: weight * weights.kinds.get(kind, 1.0) for kind, weight in kinds.items()}
    return changed, dense_weight if weights.dense is None else weights.dense


def parse_domains(setting: str) -> dict[str, tuple[str, ...]]:
    """Domains with their cue words, as they stand in a setting. Raises `BadInput`.

    >>> parse_domains("proposals: proposal, phase 1; archive: download, raw data")
    {'proposals': ('proposal', 'phase 1'), 'archive': ('download', 'raw data')}
    """
    domains: dict[str, tuple[str, ...]] = {}
    for part in filter(str.strip, setting.split(";")):
        name, colon, cues = part.partition(":")
        listed = tuple(cue.strip().casefold() for cue in cues.split(",") if cue.strip())
        if not name.strip() or not colon or not listed:
            raise BadInput(f"{part.strip()[:50]!r} is no domain.", hint="Write domain: cue, cue; domain: cue.")
        domains[name.strip()] = listed
    return domains


def parse_weights(setting: str) -> dict[str, ClassWeights]:
    """What changes for which class, as it stands in a setting. Raises `BadInput`.

    `dense` is a share of 1; a kind of collection has a factor of its weight.

    >>> parse_weights("identifiers: dense 0.5; error: tickets 1.5, dense 0.6")["error"]
    ClassWeights(dense=0.6, kinds={<Kind.TICKETS: 'tickets'>: 1.5})
    """
    weights: dict[str, ClassWeights] = {}
    for name, pairs in parse_domains(setting).items():
        numbers = dict(_pair(pair) for pair in pairs)
        dense = numbers.pop(DENSE, None)
        if dense is not None and dense > 1:
            raise BadInput(f"The dense weight of {name!r} is above 1.")
        weights[name] = ClassWeights(dense, {Kind(kind): value for kind, value in numbers.items()})
    return weights


def _pair(text: str) -> tuple[str, float]:
    name, _, number = text.partition(" ")
    if name not in (DENSE, *Kind) or not re.fullmatch(r"\d+(\.\d+)?", number.strip()):
        raise BadInput(f"{text[:50]!r} is no weight.", hint="Write dense, docs or tickets and a number.")
    return name, float(number)


def _cues(words: str, cues: Sequence[str]) -> int:
    """How many of the cues stand in the text as whole words."""
    return sum(f" {cue} " in f" {words} " for cue in cues)
