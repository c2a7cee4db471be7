from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.access import (
    Audience,
    Kind,
    checked_name,
    collection_name,
    holds_tickets,
    lasting_tenant,
    tenants_by_connector,
    transient_tenant,
    visibilities,
    visibility_of,
)
from core.errors import BadInput

NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,39}", fullmatch=True) | st.sampled_from(["default", "public", "docs"])
PLACES = st.tuples(NAMES, NAMES, st.sampled_from(Kind))


def test_what_was_ingested_before_there_were_tenants_belongs_to_the_default_one_and_is_public() -> None:
    everybody = Audience("default", frozenset({"public"}))
    assert (everybody.collections(Kind.DOCS), everybody.collections(Kind.TICKETS)) == (("docs",), ("tickets",))


@given(PLACES, PLACES)
def test_two_places_never_share_a_collection(one: tuple[str, str, Kind], other: tuple[str, str, Kind]) -> None:
    assert (collection_name(*one) == collection_name(*other)) == (one == other)


@given(PLACES)
def test_a_collections_name_tells_its_visibility_and_kind(place: tuple[str, str, Kind]) -> None:
    name = collection_name(*place)
    assert visibility_of(name) == place[1]
    assert holds_tickets(name) == (place[2] is Kind.TICKETS)


@given(NAMES, st.sets(NAMES), PLACES)
def test_an_audience_sees_its_tenant_and_its_classes_only(
    tenant: str, classes: set[str], place: tuple[str, str, Kind]
) -> None:
    audience = Audience(tenant, frozenset(classes))
    assert audience.may_see(collection_name(*place)) == (place[0] == tenant and place[1] in classes)


def test_an_audience_without_classes_sees_nothing() -> None:
    assert [Audience("default", frozenset()).collections(kind) for kind in Kind] == [(), ()]


@pytest.mark.parametrize("name", ["", "Acme", "a/b", "-a", "a b", "ü", "a" * 41, "a\n", "*"])
def test_names_that_could_be_mistaken_for_something_else_are_refused(name: str) -> None:
    for use in (checked_name, lasting_tenant, lambda name: Audience(name, frozenset())):
        with pytest.raises(BadInput):
            use(name)
    with pytest.raises(BadInput):
        Audience("default", frozenset({name}))
    with pytest.raises(BadInput):
        collection_name("default", name, Kind.DOCS)


def test_the_longest_name_is_taken() -> None:
    assert checked_name("a" * 40) == "a" * 40


def test_nobody_can_name_a_tenant_like_a_question() -> None:
    with pytest.raises(BadInput, match="'ask-'"):
        lasting_tenant(transient_tenant("01939f2a4c0"))


def test_lists_in_settings() -> None:
    assert visibilities(" public,,internal ") == {"public", "internal"}
    assert visibilities("") == frozenset()
    assert tenants_by_connector("") == {}


@pytest.mark.parametrize("pairs", ["folder", "=acme", "folder=", "folder=a/b", "folder=ask-1"])
def test_pairs_that_name_no_tenant_are_refused(pairs: str) -> None:
    with pytest.raises(BadInput):
        tenants_by_connector(pairs)


def test_collections_come_in_one_order() -> None:
    audience = Audience("acme", frozenset({"b", "a", "c"}))
    names = [f"acme/{name}/{kind}" for kind, name in product(Kind, "abc")]
    assert [name for kind in Kind for name in audience.collections(kind)] == names
