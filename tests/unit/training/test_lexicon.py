"""Phrase tables are learned from sentence pairs."""

from __future__ import annotations

from training.lexicon import bitext, grow, phrase_table, phrases

PAIRS = [
    ("mot de passe oublié", "password forgotten"),
    ("mot de passe", "password"),
    ("le mot de passe", "the password"),
    ("le signet", "the bookmark"),
    ("le mot", "the word"),
    ("signet oublié", "bookmark forgotten"),
    ("un mot", "a word"),
    ("mot", "word"),
    ("mot de passe du signet", "password of the bookmark"),
] * 3


def test_words_and_phrases_get_their_translations() -> None:
    table = phrase_table(bitext(PAIRS, "fr"))
    assert table[("signet",)][0][0] == "bookmark"
    assert table[("oubli",)][0][0] == "forgotten"
    assert table[("mot", "de", "pass")][0][0] == "password"


def test_a_phrase_that_its_words_give_already_is_left_out() -> None:
    assert ("le", "signet") not in phrase_table(bitext(PAIRS, "fr"))


def test_probabilities_fall_and_are_at_most_one() -> None:
    for choices in phrase_table(bitext(PAIRS, "fr")).values():
        chances = [chance for _, chance in choices]
        assert chances == sorted(chances, reverse=True)
        assert 0 < sum(chances) <= 1 + 1e-9


def test_empty_and_very_long_pairs_are_left_out() -> None:
    text = bitext([("", "word"), ("mot", "?"), ("mot " * 41, "word"), ("mot", "word")], "fr")
    assert (text.foreign, text.english) == ([["mot"]], [["word"]])


def test_the_intersection_grows_along_the_union_only() -> None:
    one, other = {(0, 0), (1, 1), (3, 3)}, {(0, 0), (1, 2), (5, 0)}
    assert grow(one, other) == {(0, 0), (1, 1), (1, 2)}


def test_no_phrase_is_cut_out_of_a_linked_run() -> None:
    found = list(phrases(["a", "b", "c"], ["x", "y"], {(0, 0), (1, 0), (2, 1)}))
    assert sorted(found) == [(("a", "b"), "x"), (("a", "b", "c"), "x y"), (("c",), "y")]
