import pytest

from core.domain.redaction import PlaceholderMap
from core.redaction.people import form_of, is_short_for, same_people
from core.redaction.placeholders import PlaceholderBook, fold

FULL = "Maria Lopez"


@pytest.mark.parametrize(
    "short",
    [
        *("Maria", "maria", "MARIA LOPEZ", "Lopez", "M. Lopez", "M Lopez", "Maria L.", "Lopez, Maria", "Lopez Maria"),
        *("María López", "Mrs. Lopez", "Dr. Maria Lopez", "maria.lopez", "maria_lopez"),
    ],
)
def test_ways_of_writing_one_name_are_one_person(short: str) -> None:
    assert same_people([FULL, short], {}) == {FULL: FULL, short: FULL}


@pytest.mark.parametrize(
    "other",
    ["Maria Garcia", "J. Lopez", "Juan Lopez", "L. Maria", "Mariana", "M.", "de", "Lopez Garcia", "", "Maria Lopezz"],
)
def test_another_name_is_another_person(other: str) -> None:
    assert same_people([FULL, other], {})[other] == other


@pytest.mark.parametrize("shared", ["Maria", "M. L.", "maria"])
def test_what_fits_two_persons_stands_for_neither(shared: str) -> None:
    assert len(set(same_people([FULL, "Maria Garcia", shared], {}).values())) == 3


def test_two_spellings_of_a_shared_name_stay_together() -> None:
    same = same_people(["MARIA", FULL, "Maria Garcia", "Maria"], {})
    assert same["Maria"] == same["MARIA"] == "MARIA"


def test_a_longer_name_joins_the_person_known_by_a_shorter_one() -> None:
    assert same_people([FULL, "M. Lopez"], {"Maria": 3}) == {FULL: 3, "M. Lopez": 3}


def test_two_longer_names_do_not_share_the_person_known_by_the_first_name() -> None:
    assert same_people([FULL, "Maria Garcia"], {"Maria": 3}) == {FULL: FULL, "Maria Garcia": "Maria Garcia"}


def test_a_short_name_does_not_choose_between_two_known_persons() -> None:
    assert same_people(["M. Lopez"], {FULL: 1, "Marta Lopez": 2}) == {"M. Lopez": "M. Lopez"}


def test_the_very_words_of_a_known_person_mean_that_person() -> None:
    assert same_people(["maria"], {"Maria": 1, "Maria Bell": 2}) == {"maria": 1}


def test_the_order_of_the_names_does_not_matter_for_who_is_who() -> None:
    names = [FULL, "Maria", "Juan Lopez", "J. Lopez", "Lopez", "Ana Bell", "Ana"]
    forward, backward = same_people(names, {}), same_people(names[::-1], {})
    pairs = [(a, b) for a in names for b in names]
    assert [forward[a] == forward[b] for a, b in pairs] == [backward[a] == backward[b] for a, b in pairs]


def test_initials_belong_to_the_first_name() -> None:
    assert not is_short_for(form_of("P. Smith"), form_of("John Paul Smith"))
    assert is_short_for(form_of("J. P. Smith"), form_of("John Paul Smith"))
    assert is_short_for(form_of("Ludwig Berg"), form_of("Ludwig van der Berg"))


def book(*values: tuple[str, str], known: dict[str, str] | None = None) -> dict[str, str]:
    opened = PlaceholderBook(PlaceholderMap(known or {}))
    opened.add(values)
    return {value: placeholder for placeholder, value in opened.close().values.items()}


def test_one_person_has_one_number_and_each_way_of_writing_its_letter() -> None:
    given = book(("PERSON", FULL), ("PERSON", "Ana"), ("PERSON", "Maria"), ("PERSON", "M. Lopez"))
    assert given == {FULL: "<PERSON_1>", "Ana": "<PERSON_2>", "Maria": "<PERSON_1_B>", "M. Lopez": "<PERSON_1_C>"}


def test_a_user_name_made_of_a_persons_names_is_that_person_and_no_other_is() -> None:
    logins = [("USERNAME", "maria.lopez"), ("USERNAME", "mlopez"), ("USERNAME", "lopez"), ("USERNAME", "m.lopez")]
    given = book(*logins, ("PERSON", FULL))
    assert given["maria.lopez"] == "<PERSON_1_B>"
    assert sorted(given[login] for _, login in logins[1:]) == ["<USERNAME_1>", "<USERNAME_2>", "<USERNAME_3>"]


def test_letters_go_on_where_the_map_stopped_and_never_come_twice() -> None:
    spent = PlaceholderMap({"<PERSON_1>": FULL}, frozenset({"<PERSON_1_C>", "<PERSON_4>"}))
    opened = PlaceholderBook(spent)
    opened.add([("PERSON", "Maria"), ("PERSON", "Bo")])
    assert (opened.find("Maria"), opened.find("Bo")) == ("<PERSON_1_D>", "<PERSON_5>")


def test_there_are_letters_for_many_ways_and_then_another_number() -> None:
    spellings = [f"Maria{blank}Lopez" for blank in (" " * n for n in range(1, 700))]
    given = book(*(("PERSON", spelling) for spelling in spellings))
    assert len(set(given.values())) == 699
    assert {"<PERSON_1_Z>", "<PERSON_1_BA>", "<PERSON_1_ZZ>", "<PERSON_2>"} <= set(given.values())


def test_folding_leaves_the_person() -> None:
    assert fold("<PERSON_1_B> is <PERSON_1>, not <PERSON_12_AB> or <IP_ADDRESS_3>") == (
        "<PERSON_1> is <PERSON_1>, not <PERSON_12_AB> or <IP_ADDRESS_3>"
    )
