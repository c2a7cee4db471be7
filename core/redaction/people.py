"""Which ways of writing names mean the same person, within one ticket.

"Maria Lopez", "Maria", "M. Lopez", "Lopez, Maria" and "maria.lopez" do, unless a second Maria or M. Lopez is about:
then whatever fits both stands for neither.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.redaction.words import PARTICLES, TITLES

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

Form = tuple[str, ...]
"""The words of a name in order, without accents and titles, case-folded; initials are single letters."""


def form_of(name: str) -> Form:
    """
    >>> form_of("López, María"), form_of("Dr. M. Lopez"), form_of("maria.lopez")
    (('maria', 'lopez'), ('m', 'lopez'), ('maria', 'lopez'))
    """
    last, comma, first = name.partition(",")
    ordered = f"{first} {last}" if comma and "," not in first and _words(first) else name
    words = _words(ordered)
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    return tuple(words)


def _words(name: str) -> list[str]:
    bare = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return _WORD.findall(bare.casefold().replace("’", "'"))


def _whole(form: Form) -> list[str]:
    """The words that tell people apart: no initials, no particles."""
    return [word for word in form if len(word) > 1 and word not in PARTICLES]


def is_short_for(short: Form, full: Form) -> bool:
    """Whether `short` is `full` with words left out or shortened to initials, or `full` with the surname in front.

    An initial in front must be the first name's.

    >>> is_short_for(("m", "lopez"), ("maria", "lopez")), is_short_for(("j", "lopez"), ("maria", "lopez"))
    (True, False)
    """
    if not _whole(short):
        return False
    if len(short) > 1 and short == full[::-1]:
        return True
    if len(short[0]) == 1 and not full[0].startswith(short[0]):
        return False
    rest = iter(full)
    return all(any(_abbreviates(word, candidate) for candidate in rest) for word in short)


def _abbreviates(word: str, full: str) -> bool:
    return word == full or (len(word) == 1 and full.startswith(word))


def _related(one: Form, other: Form) -> bool:
    return is_short_for(one, other) or is_short_for(other, one)


@dataclass(slots=True)
class _Cluster:
    """Forms of one person; `head` is the fullest."""

    head: Form
    forms: list[Form]


def same_people(names: Iterable[str], known: Mapping[str, int]) -> dict[str, int | str]:
    """For each name the number of the known person it means, else the first name of the group it belongs to.

    `known` are the names that have a number already. The outcome depends on what is known and on the set of new names.

    >>> same_people(["Maria Lopez", "M. Lopez", "Ana"], {"Maria": 4})
    {'Maria Lopez': 4, 'M. Lopez': 4, 'Ana': 'Ana'}
    >>> same_people(["Maria", "Maria Lopez", "Maria Bell"], {})
    {'Maria': 'Maria', 'Maria Lopez': 'Maria Lopez', 'Maria Bell': 'Maria Bell'}
    """
    forms = {name: form_of(name) for name in dict.fromkeys(names)}
    people = _known_people(known)
    decided = {form: number for form in set(forms.values()) if (number := _only_with(form, people)) is not None}
    clusters = _clusters(form for form in forms.values() if form and form not in decided)
    for cluster, number in _links(clusters, people):
        decided.update(dict.fromkeys(cluster.forms, number))
    heads = {form: cluster.head for cluster in clusters for form in cluster.forms}
    first: dict[Form, str] = {}
    for name, form in forms.items():
        first.setdefault(heads.get(form, (name,)), name)
    return {name: decided.get(form, first[heads.get(form, (name,))]) for name, form in forms.items()}


def _known_people(known: Mapping[str, int]) -> dict[int, list[Form]]:
    people: dict[int, list[Form]] = {}
    for name, number in known.items():
        people.setdefault(number, []).append(form_of(name))
    return people


def _only_with(form: Form, people: Mapping[int, Sequence[Form]]) -> int | None:
    having = [number for number, forms in people.items() if form and form in forms]
    return having[0] if len(having) == 1 else None


def _fullness(form: Form) -> tuple[int, int, Form]:
    return (-len(_whole(form)), -len(form), form)


def _clusters(forms: Iterable[Form]) -> list[_Cluster]:
    """Fullest first; a form joins the only cluster whose head it is short for, else it begins one."""
    clusters: list[_Cluster] = []
    by_word: dict[str, list[_Cluster]] = {}
    for form in sorted(set(forms), key=_fullness):
        near = {id(cluster): cluster for word in _whole(form) for cluster in by_word.get(word, ())}
        fits = [cluster for cluster in near.values() if is_short_for(form, cluster.head)]
        if len(fits) == 1:
            fits[0].forms.append(form)
            continue
        begun = _Cluster(form, [form])
        clusters.append(begun)
        for word in _whole(form):
            by_word.setdefault(word, []).append(begun)
    return clusters


def _links(clusters: Sequence[_Cluster], people: Mapping[int, Sequence[Form]]) -> list[tuple[_Cluster, int]]:
    """Clusters and known persons that fit each other and nobody else."""
    heads = {number: min(forms, key=_fullness) for number, forms in people.items()}
    pairs = [
        (at, number)
        for at, cluster in enumerate(clusters)
        for number, head in heads.items()
        if _related(cluster.head, head)
    ]
    fits = Counter(at for at, _ in pairs)
    fitted = Counter(number for _, number in pairs)
    return [(clusters[at], number) for at, number in pairs if fits[at] == 1 and fitted[number] == 1]
