import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.redaction.repair import placeholders_in, repair_placeholders

KNOWN = frozenset({"<PERSON_1>", "<PERSON_1_B>", "<EMAIL_ADDRESS_1>", "<IP_ADDRESS_3>", "<LOCATION_1>"})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(
            (text, "<PERSON_1>")
            for text in ("<PERSON 1>", "<person_1>", "[PERSON_1]", "&lt;PERSON_1&gt;", "«Person 1»")
        ),
        *((text, "<PERSON_1>") for text in ("< PERSON_1 >", "<PERSONA_1>", "<Personne_1>", r"<PERSON\_1>", "PERSON_1")),
        *((text, "<PERSON_1>") for text in ("{person-1}", "<PERSON_1", "PERSON_1>", "<PERSON1>", "&#60;PERSON_1&#62;")),
        *((text, "<PERSON_1_B>") for text in ("<PERSON_1B>", "<person_1_b>", "[PERSON 1 B]", "PERSON_1_B")),
        *((text, "<EMAIL_ADDRESS_1>") for text in ("<EMAIL_1>", "<E-Mail 1>", "<email address 1>", "EMAIL_ADDRESS_1")),
        ("<ORT_1>", "<LOCATION_1>"),
    ],
)
def test_a_mangled_placeholder_is_put_right(written: str, meant: str) -> None:
    assert repair_placeholders(f"Dear {written}, hello.", KNOWN) == (f"Dear {meant}, hello.", ())


@pytest.mark.parametrize(
    "written", ["<PERSON_2>", "<person 2>", "[PERSON_1_C]", "PERSON_7", "<IBAN_CODE_1>", "<EMAIL_2>"]
)
def test_one_that_stands_for_nothing_is_reported_and_left(written: str) -> None:
    assert repair_placeholders(f"Dear {written}, hello.", KNOWN) == (f"Dear {written}, hello.", (written,))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "person 1 said",
            "[Figure 1]",
            "(person 1)",
            "person_1.name",
            "person_1(x)",
            "<HTML_5>",
            "<div>",
            "Person 1.",
        ),
        *("IBAN_CODE_1 is a constant", "[1]", "step_2", "<PERSON_1> and <IP_ADDRESS_3>", "xPERSON_1", "PERSON_100000"),
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert repair_placeholders(text, KNOWN) == (text, ())


def test_without_bare_forms_only_brackets_count() -> None:
    assert repair_placeholders("PERSON_1 and <person 1>", KNOWN, bare=False) == ("PERSON_1 and <PERSON_1>", ())


def test_what_is_quoted_is_no_placeholder() -> None:
    assert repair_placeholders("set person_1 there", KNOWN, verbatim="then set person_1 there.") == (
        "set person_1 there",
        (),
    )


def test_each_is_reported_once() -> None:
    assert repair_placeholders("<PERSON_9> <PERSON_8> <PERSON_9>", KNOWN)[1] == ("<PERSON_9>", "<PERSON_8>")


@given(st.lists(st.sampled_from([*sorted(KNOWN), "Hello", "person 1", " ", ",", "<", ">", "x_1"]), max_size=12))
def test_repairing_again_changes_nothing(pieces: list[str]) -> None:
    text, left = repair_placeholders(" ".join(pieces), KNOWN)
    assert repair_placeholders(text, KNOWN) == (text, left)
    assert placeholders_in(text) <= KNOWN | set(left)
