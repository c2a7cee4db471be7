from __future__ import annotations

import pytest

from core.domain.access import Kind
from core.errors import BadInput
from core.retrieval.query_class import ClassWeights, parse_domains, parse_weights, query_class, weighted


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("How do I move the toolbar?", "how-to"),
        ("It crashes and then it says error 5.", "error"),
        ("I cannot sign in to my account, my password fails.", "account"),
        ("Which licence do the images have?", "policy"),
        ("Thanks for the nice weather.", "other"),
        ("`eso.query_main` `Eso.login` astroquery.eso.core", "identifiers"),
        ("Proxies do not crashland.", "other"),
    ],
)
def test_a_text_is_known_by_its_cues(text: str, name: str) -> None:
    assert query_class(text, {}) == name


def test_an_installations_own_domains_come_first_and_the_one_with_more_cues_wins() -> None:
    domains = {"archive": ("download",), "proposals": ("proposal", "phase 1")}
    assert query_class("Error: the download of my proposal for Phase 1 fails", domains) == "proposals"
    assert query_class("The download fails", domains) == "archive"
    assert query_class("It fails", domains) == "error"


def test_a_class_without_weights_changes_nothing() -> None:
    assert weighted({Kind.DOCS: 1.0}, 0.7, None) == ({Kind.DOCS: 1.0}, 0.7)
    assert weighted({Kind.DOCS: 1.0}, 0.7, ClassWeights()) == ({Kind.DOCS: 1.0}, 0.7)


@pytest.mark.parametrize("setting", ["proposals", "a: ; b: c", ": cue"])
def test_domains_that_cannot_be_read_are_refused(setting: str) -> None:
    with pytest.raises(BadInput):
        parse_domains(setting)


@pytest.mark.parametrize("setting", ["error: dense", "error: dense 1.5", "error: mails 2", "error: dense -1"])
def test_weights_that_cannot_be_read_are_refused(setting: str) -> None:
    with pytest.raises(BadInput):
        parse_weights(setting)


def test_nothing_set_is_nothing_changed() -> None:
    assert parse_domains("") == {}
    assert parse_weights(" ; ") == {}
