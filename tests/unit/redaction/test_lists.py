import pytest

from core.domain.redaction import NO_LISTS, Entity, PlaceholderMap
from core.errors import BadInput
from core.redaction.lists import KINDS, components, digest, read_lists, without_allowed
from core.redaction.patterns import PatternRecognizer
from core.redaction.redact import redact
from tests.fakes.recognizer import FakeRecognizer

NAMES = {"Nova Smith": "PERSON", "Nova": "PERSON", "nova@example.org": "EMAIL_ADDRESS", "4711": "SECRET"}


def redacted(text: str, allow: str = "", deny: str = "", known: dict[str, str] | None = None) -> str:
    recognizer = FakeRecognizer(NAMES, read_lists(allow, deny))
    return redact(text, recognizer=recognizer, placeholders=PlaceholderMap(known or {}))[0].text


def test_what_is_allowed_is_never_replaced() -> None:
    assert redacted("Nova fails, NOVA too", allow="nova") == "Nova fails, NOVA too"


def test_a_longer_name_keeps_its_rest_hidden() -> None:
    assert redacted("Nova Smith", allow="Nova") == "Nova <PERSON_1>"
    assert redacted("Nova Smith", allow="Nova Smith") == "Nova Smith"


def test_a_part_of_anything_else_does_not_show_the_rest() -> None:
    assert redacted("nova@example.org", allow="nova") == "<EMAIL_ADDRESS_1>"
    assert redacted("nova@example.org", allow="nova@example.org") == "nova@example.org"


def test_allowed_words_stay_although_the_vault_holds_them() -> None:
    assert redacted("Nova it is", allow="Nova", known={"<PERSON_1>": "Nova"}) == "Nova it is"


def test_what_is_denied_is_always_replaced_as_a_whole_word_in_any_case() -> None:
    deny = "PERSON:Maria  Lopez\nProject Tulip"
    assert redacted("maria\nLOPEZ runs project tulip", deny=deny) == "<PERSON_1> runs <CUSTOM_1>"
    assert redacted("Marias Lopez, Project Tulips", deny=deny) == "Marias Lopez, Project Tulips"


def test_phrases_may_start_and_end_with_marks() -> None:
    assert redacted("see $42-X(B) now", deny="$42-X(B)") == "see <CUSTOM_1> now"


def test_comments_and_empty_lines_are_no_entries() -> None:
    assert read_lists("\n# Nova\n \n", "#x") == NO_LISTS


@pytest.mark.parametrize(("allow", "deny"), [("", "PERSN:Maria"), ("", "PERSON:"), ("maria", "PERSON:Maria")])
def test_entries_that_make_no_sense_are_refused(allow: str, deny: str) -> None:
    with pytest.raises(BadInput):
        read_lists(allow, deny)


def test_the_lists_are_shown_by_size_and_hash_and_never_by_content() -> None:
    allow, deny = components(read_lists("Nova\nVega", "PERSON:Maria Lopez"))
    assert (allow.role, allow.version, deny.role, deny.version) == ("allow list", "2 entries", "deny list", "1 entry")
    assert len(deny.sha256) == 64
    assert "aria" not in repr((allow, deny))
    assert components(NO_LISTS) == []


def test_other_lists_make_another_recognizer_so_that_tickets_are_redacted_anew() -> None:
    seen = {PatternRecognizer(lists=read_lists(*texts)).component for texts in ((), ("a",), ("", "a"), ("", "b"))}
    assert len(seen) == 4
    assert digest(read_lists("b\na")) == digest(read_lists("A\nB"))


def test_kinds_are_those_of_placeholders() -> None:
    assert all(kind.replace("_", "").isupper() for kind in KINDS)


def test_without_allow_list_entities_are_the_same() -> None:
    entity = next(iter(FakeRecognizer(NAMES).recognize("Nova")))
    assert without_allowed("Nova", [entity], NO_LISTS) == [entity]
    assert isinstance(entity, Entity)
