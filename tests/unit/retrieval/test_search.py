from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count

import pytest

from core.domain.passage import Document, Passage, Run, ScoredPassage, Span, passage_id
from core.domain.retrieval import Retrieval, WeightedQuery
from core.errors import EmbedderMismatch, IndexUnavailable, ModelUnavailable
from core.ports import Embedder, VectorEntry, Vectors
from core.retrieval.analysis import document_entry, lexical_entry
from core.retrieval.documents import opening, whole
from core.retrieval.search import Found, fuse, fuse_documents, lifted, reduced, retrieve
from core.retrieval.stages import Stages
from core.retrieval.voters import Ballot
from tests.fakes.search import FakeEmbedder, FakeLexicalIndex, FakeVectorIndex

TEXTS = {
    "restart": "Restart the browser in safe mode.",
    "proxy": "Change the proxy of the browser.",
    "archive": "Download raw spectra from the archive.",
    "issuer": "The code SEC_ERROR_UNKNOWN_ISSUER names a certificate.",
}


PASSAGES_ONLY = Stages(documents=False, opening_weight=0, centre=0, vote_weight=0)


def passage(name: str, text: str, collection: str = "docs", solved_by: tuple[str, ...] = ()) -> Passage:
    span = Span(0, len(text))
    return Passage(name, name, collection, "", (), text, span, span, "v1", solved_by=solved_by)


class DeadEmbedder(FakeEmbedder):
    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable("The embedder does not load.")


class Library:
    """Two indexes and a repository of passages."""

    def __init__(self) -> None:
        self.lexical = FakeLexicalIndex()
        self.vectors = FakeVectorIndex()
        self.embedder: Embedder = FakeEmbedder()
        self.known: dict[str, Passage] = {}

    def add(self, *passages: Passage) -> None:
        for one in passages:
            self.known[one.passage_id] = one
            self.lexical.replace(one.collection, [one.doc_id], [lexical_entry(one)])
            vector = self.embedder.embed_passages([one.contextual_text])[0]
            entry = VectorEntry(one.passage_id, one.doc_id, vector)
            self.vectors.replace(one.collection, [one.doc_id], [entry], self.embedder.identity)
            self.add_whole(Document(one.doc_id, one.collection, one.title, one.text, (), "v1"))

    def add_whole(self, document: Document) -> None:
        beside, doc_id = whole(document.collection), document.doc_id
        self.lexical.replace(beside, [doc_id], [document_entry(document)])
        vector = self.embedder.embed_passages([opening(document)])[0]
        self.vectors.replace(beside, [doc_id], [VectorEntry(doc_id, doc_id, vector)], self.embedder.identity)

    def passages(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        return {name: self.known[name] for name in ids if name in self.known}

    def retrieve(
        self,
        *texts: str,
        collections: Mapping[str, float] | None = None,
        k: int = 3,
        depth: int = 10,
        dense_weight: float = 0.7,
        similar_in: Sequence[str] = (),
        stages: Stages = PASSAGES_ONLY,
        ballot: Ballot | None = None,
    ) -> Retrieval:
        return retrieve(
            [WeightedQuery(text) for text in texts],
            collections=collections or {"docs": 1.0},
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            passages=self.passages,
            depth=depth,
            k=k,
            dense_weight=dense_weight,
            timer=ticking(),
            similar_in=similar_in,
            stages=stages,
            ballot=ballot,
        )


def ticking() -> Callable[[], float]:
    """Every look at it is a second later."""
    seconds = count()
    return lambda: float(next(seconds))


@pytest.fixture
def library() -> Library:
    made = Library()
    made.add(*(passage(name, text) for name, text in TEXTS.items()))
    return made


def ids(run: Run) -> list[str]:
    return [item.passage_id for item in run.items]


def run(stage: str, collection: str, depth: int = 10, degraded: str = "", **scores: float) -> Run:
    ranked = enumerate(sorted(scores.items(), key=lambda item: -item[1]), start=1)
    items = tuple(ScoredPassage(name, score, rank) for rank, (name, score) in ranked)
    return Run(stage, collection, items, depth, degraded=degraded)


def test_the_passage_both_ways_find_comes_first(library: Library) -> None:
    retrieval = library.retrieve("restart browser in safe mode")
    assert ids(retrieval.fused)[0] == "restart"
    assert retrieval.ranked[0][0].text == TEXTS["restart"]
    assert retrieval.reduced == ()


def test_every_stage_is_kept_with_ranks_scores_seconds_and_parameters(library: Library) -> None:
    retrieval = library.retrieve("restart the browser", k=2)
    assert [(one.stage, one.collection, one.depth) for one in retrieval.runs] == [
        ("lexical", "docs", 10),
        ("dense", "docs", 10),
    ]
    for one in (*retrieval.runs, retrieval.fused):
        assert [item.rank for item in one.items] == list(range(1, len(one.items) + 1))
        scores = [item.score for item in one.items]
        assert scores == sorted(scores, reverse=True)
        assert one.seconds > 0
        assert one.parameters
    assert ids(retrieval.runs[0]) == ["restart", "proxy"]
    assert len(retrieval.runs[1].items) == len(TEXTS)
    assert len(retrieval.fused.items) == retrieval.fused.depth == 2
    assert retrieval.fused.parameters["dense_weight"] == 0.7
    assert [step for step, seconds in retrieval.timings if seconds > 0] == ["lexical", "dense", "fusion"]


def test_passages_that_are_not_known_any_more_are_dropped_counted_and_ranks_close_up(library: Library) -> None:
    del library.known["restart"]
    retrieval = library.retrieve("restart the browser", k=2)
    assert "restart" not in ids(retrieval.fused)
    assert [item.rank for item in retrieval.fused.items] == [1, 2]
    assert retrieval.passages.keys() == set(ids(retrieval.fused))
    assert retrieval.fused.parameters["dropped"] == 1


def test_without_the_lexical_index_the_dense_one_goes_on_alone(library: Library) -> None:
    library.lexical.down = True
    retrieval = library.retrieve("restart the browser")
    assert retrieval.reduced == ("dense only",)
    assert retrieval.runs[0].degraded == "The lexical index does not answer."
    assert retrieval.runs[0].items == ()
    assert ids(retrieval.fused) == ids(retrieval.runs[1])[:3]


def test_without_the_dense_index_the_lexical_one_goes_on_alone(library: Library) -> None:
    library.vectors.down = True
    retrieval = library.retrieve("restart the browser", dense_weight=1.0)
    assert retrieval.reduced == ("lexical only",)
    assert ids(retrieval.fused) == ["restart", "proxy"]
    assert retrieval.fused.items[0].score > retrieval.fused.items[1].score


def test_an_embedder_that_does_not_load_leaves_the_lexical_index(library: Library) -> None:
    library.embedder = DeadEmbedder()
    retrieval = library.retrieve("restart the browser")
    assert retrieval.reduced == ("lexical only",)
    assert retrieval.runs[1].degraded == "The embedder does not load."


def test_when_nothing_answers_there_is_no_retrieval(library: Library) -> None:
    library.lexical.down = library.vectors.down = True
    with pytest.raises(IndexUnavailable, match=r"lexical index does not answer.*dense index does not answer"):
        library.retrieve("restart")


def test_another_embedder_than_the_index_was_built_with_is_an_error(library: Library) -> None:
    library.embedder = FakeEmbedder("other")
    with pytest.raises(EmbedderMismatch):
        library.retrieve("restart")


def test_collections_are_searched_together(library: Library) -> None:
    library.add(passage("t1", "Restart the browser twice.", "tickets"))
    retrieval = library.retrieve("restart the browser", collections={"docs": 1.0, "tickets": 0.8})
    assert {"restart", "t1"} == set(ids(retrieval.fused)[:2])
    assert [(one.stage, one.collection) for one in retrieval.runs] == [
        ("lexical", "docs"),
        ("lexical", "tickets"),
        ("dense", "docs"),
        ("dense", "tickets"),
    ]


def test_a_collections_weight_moves_its_passages_by_its_logarithm(library: Library) -> None:
    library.add(passage("t1", TEXTS["restart"], "tickets"))
    even = library.retrieve("restart browser", collections={"docs": 1.0, "tickets": 1.0})
    lower = library.retrieve("restart browser", collections={"docs": 1.0, "tickets": 0.5})
    before = {item.passage_id: item.score for item in even.fused.items}
    after = {item.passage_id: item.score for item in lower.fused.items}
    assert after["t1"] == pytest.approx(before["t1"] + math.log(0.5))
    assert after["restart"] == pytest.approx(before["restart"])


def test_a_collection_of_weight_zero_is_not_searched(library: Library) -> None:
    library.add(passage("t1", TEXTS["restart"], "tickets"))
    retrieval = library.retrieve("restart browser", collections={"docs": 1.0, "tickets": 0.0})
    assert {one.collection for one in retrieval.runs} == {"docs"}


def test_a_collection_that_does_not_exist_yet_is_empty_not_broken(library: Library) -> None:
    retrieval = library.retrieve("restart", collections={"docs": 1.0, "tickets": 1.0})
    assert retrieval.reduced == ()
    assert ids(retrieval.fused)[0] == "restart"


def test_no_query_finds_nothing(library: Library) -> None:
    retrieval = library.retrieve()
    assert retrieval.fused.items == ()
    assert retrieval.reduced == ()


def test_several_queries_add_up(library: Library) -> None:
    retrieval = library.retrieve("proxy", "raw spectra archive")
    assert set(ids(retrieval.runs[0])) == {"proxy", "archive"}
    assert {"proxy", "archive"} == set(ids(retrieval.runs[1])[:2])


def test_a_heavier_query_decides(library: Library) -> None:
    for weights, best in (((1.0, 0.2), "proxy"), ((0.2, 1.0), "archive")):
        retrieval = retrieve(
            [WeightedQuery("proxy browser", weights[0]), WeightedQuery("spectra archive", weights[1])],
            collections={"docs": 1.0},
            lexical=library.lexical,
            vectors=library.vectors,
            embedder=library.embedder,
            passages=library.passages,
            depth=10,
            k=1,
            dense_weight=0.7,
            timer=ticking(),
            stages=PASSAGES_ONLY,
        )
        assert [one.items[0].passage_id for one in (*retrieval.runs, retrieval.fused)] == [best] * 3


def test_what_a_full_list_lacks_scores_as_its_last_and_what_a_short_one_lacks_scores_nothing() -> None:
    dense = run("dense", "docs", depth=2, c=0.9, a=0.1)
    full = fuse([run("lexical", "docs", depth=2, a=3.0, b=1.0)], [dense], weights={"docs": 1.0}, dense_weight=0)
    assert full["a"] > full["b"] == full["c"]
    short = fuse([run("lexical", "docs", depth=3, a=3.0, b=1.0)], [dense], weights={"docs": 1.0}, dense_weight=0)
    assert short["a"] > short["b"] > short["c"]


def test_a_collection_in_which_nothing_matches_well_stays_behind() -> None:
    lexical = [run("lexical", "docs", a=9.0, b=8.0), run("lexical", "tickets", t=1.0, u=0.5)]
    dense = [run("dense", "docs", a=0.8, b=0.7), run("dense", "tickets", t=0.2, u=0.1)]
    fused = fuse(lexical, dense, weights={"docs": 1.0, "tickets": 1.0}, dense_weight=0.7)
    assert fused["a"] > fused["b"] > fused["t"] > fused["u"]


def test_where_one_stage_is_degraded_the_other_counts_alone() -> None:
    lexical = [run("lexical", "docs", a=9.0, b=1.0), run("lexical", "tickets", degraded="down")]
    dense = [run("dense", "docs", a=0.8, b=0.2), run("dense", "tickets", t=0.8, u=0.2)]
    fused = fuse(lexical, dense, weights={"docs": 1.0, "tickets": 1.0}, dense_weight=0.5)
    assert fused["t"] == pytest.approx(1)
    assert fused["u"] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("lexical", "dense", "words"),
    [
        (("", ""), ("", ""), ()),
        (("down", "down"), ("", ""), ("dense only",)),
        (("", ""), ("down", "down"), ("lexical only",)),
        (("", "down"), ("", ""), ("tickets: dense only",)),
        (("down", ""), ("down", ""), ("docs: not searched",)),
        (("down", ""), ("", "down"), ("docs: dense only", "tickets: lexical only")),
    ],
)
def test_reduced_names_what_did_not_work(
    lexical: tuple[str, str], dense: tuple[str, str], words: tuple[str, ...]
) -> None:
    names = ("docs", "tickets")
    lexical_runs = [run("lexical", name, degraded=text) for name, text in zip(names, lexical, strict=True)]
    dense_runs = [run("dense", name, degraded=text) for name, text in zip(names, dense, strict=True)]
    assert reduced(lexical_runs, dense_runs) == words


def test_similar_tickets_are_kept_even_when_the_documentation_fills_the_list(library: Library) -> None:
    library.add(passage("old", "Somebody wrote about a browser once.", "tickets"))
    both = {"docs": 1.0, "tickets": 0.5}
    retrieval = library.retrieve("restart browser in safe mode", collections=both, k=1, similar_in=("tickets",))
    assert ids(retrieval.fused) == ["restart"]
    similar = [run for run in retrieval.runs if run.stage == "similar"]
    assert [(run.collection, ids(run)) for run in similar] == [("tickets", ["old"])]
    assert retrieval.passages["old"].text == "Somebody wrote about a browser once."
    assert not [r for r in library.retrieve("restart", collections=both).runs if r.stage == "similar"]


def test_a_dense_index_that_lost_a_collection_is_named(library: Library) -> None:
    library.vectors.drop("docs")
    retrieval = library.retrieve("restart browser in safe mode")
    assert retrieval.reduced == ("lexical only",)
    assert ids(retrieval.fused)[0] == "restart"


# ---------------------------------------------------------------- documents


def parts(library: Library, doc_id: str, *texts: str, title: str = "") -> list[str]:
    """Add a document of several passages; their ids."""
    names = [passage_id(doc_id, "0" * 8, number) for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        one = Passage(name, doc_id, "docs", title, (), text, Span(0, len(text)), Span(0, len(text)), "v1")
        library.known[name] = one
        entry = VectorEntry(name, doc_id, library.embedder.embed_passages([one.contextual_text])[0])
        library.lexical.replace("docs", [], [lexical_entry(one)])
        library.vectors.replace("docs", [], [entry], library.embedder.identity)
    library.add_whole(Document(doc_id, "docs", title, " ".join(texts), (), "v1"))
    return names


def test_the_words_of_the_whole_document_decide_between_documents() -> None:
    library = Library()
    first = parts(library, "d1", "Proxy here.", "Nothing else matters.", "More filler text.")
    second = parts(library, "d2", "Proxy here.", "Kerberos tickets expire.", "Kerberos realm names.")
    stages = Stages(opening_weight=0, centre=0)
    retrieval = library.retrieve("proxy kerberos", stages=stages, k=6, dense_weight=0.0)
    documents = [retrieval.passages[name].doc_id for name in ids(retrieval.fused)]
    assert documents[0] == "d2"
    assert set(ids(retrieval.fused)) <= {*first, *second}
    wholes = [run for run in retrieval.runs if run.stage == "lexical documents"]
    assert [ids(run) for run in wholes] == [["d2", "d1"]]


def test_a_documents_best_passage_takes_the_documents_score_and_the_others_keep_their_distance() -> None:
    scores = {"a@00000000#0": 2.0, "a@00000000#1": -1.0, "b@00000000#0": 1.0}
    assert lifted(scores, {"a": 0.5, "b": 3.0}) == {"a@00000000#0": 0.5, "a@00000000#1": -2.5, "b@00000000#0": 3.0}


def test_without_an_index_of_documents_the_best_passage_stands_for_its_document(library: Library) -> None:
    library.lexical.drop(whole("docs"))
    library.vectors.drop(whole("docs"))
    plain = library.retrieve("restart the browser", k=4)
    without = library.retrieve("restart the browser", k=4, stages=Stages(centre=0))
    assert ids(without.fused) == ids(plain.fused)
    assert without.reduced == ()


def test_openings_add_their_share() -> None:
    lexical = [run("lexical", "docs", a=2.0, b=1.0)]
    dense = [run("dense", "docs", a=0.5, b=0.5)]
    openings = [run("openings", "docs", a=0.1, b=0.9)]
    found = Found(lexical, dense, lexical, openings)
    for weight, best in ((0.0, "a"), (0.2, "a"), (0.4, "b")):
        scores = fuse_documents(found, weights={"docs": 1.0}, dense_weight=0.7, opening_weight=weight)
        assert max(scores, key=lambda name: scores[name]) == best


def test_an_index_of_openings_that_holds_nothing_changes_nothing() -> None:
    lexical, dense = [run("lexical", "docs", a=2.0, b=1.0)], [run("dense", "docs", a=0.5, b=0.9)]
    one = fuse_documents(
        Found(lexical, dense, lexical, [run("openings", "docs")]),
        weights={"docs": 1.0},
        dense_weight=0.7,
        opening_weight=0.5,
    )
    other = fuse_documents(Found(lexical, dense, lexical), weights={"docs": 1.0}, dense_weight=0.7, opening_weight=0.5)
    assert one == pytest.approx(other)


def test_what_all_passages_have_in_common_is_taken_away(library: Library) -> None:
    plain = library.retrieve("restart the browser", stages=Stages(documents=False, opening_weight=0, centre=0))
    centred = library.retrieve("restart the browser", stages=Stages(documents=False, opening_weight=0, centre=1.0))
    before, after = plain.runs[1], centred.runs[1]
    assert (before.parameters["centre"], after.parameters["centre"]) == (0, 1)
    mean = library.vectors.mean("docs")
    assert mean is not None
    query = library.embedder.embed_queries(["restart the browser"])[0] - mean
    stored = library.vectors.vectors("docs", ["restart"])["restart"] - mean
    expected = float(query @ stored / (query @ query) ** 0.5 / (stored @ stored) ** 0.5)
    assert {item.passage_id: item.score for item in after.items}["restart"] == pytest.approx(expected, abs=1e-5)
    assert after.items[-1].score < before.items[-1].score


# ---------------------------------------------------------------- votes


@pytest.fixture
def voting(library: Library) -> Library:
    for number in range(3):
        library.add(passage(f"old{number}", f"Odd whirring {number}.", "tickets", ("https://help.org/archive",)))
    library.add(passage("other", "Something about spectra.", "tickets", ("https://help.org/restart",)))
    return library


def ballot(places: Mapping[str, str]) -> Ballot:
    return Ballot(("tickets",), lambda wanted: {place: places[place] for place in wanted if place in places})


BOTH = {"docs": 1.0, "tickets": 1.0}
PLACES = {"https://help.org/archive": "archive", "https://help.org/restart": "restart"}


def test_a_solved_ticket_votes_for_the_document_that_solved_it(voting: Library) -> None:
    without = voting.retrieve("odd whirring", collections=BOTH, k=8, stages=Stages(vote_weight=0))
    stages = Stages(vote_weight=100)
    retrieval = voting.retrieve("odd whirring", collections=BOTH, k=8, stages=stages, ballot=ballot(PLACES))
    docs = [name for name in ids(retrieval.fused) if retrieval.passages[name].collection == "docs"]
    assert docs[0] == "archive"
    (votes,) = (run for run in retrieval.runs if run.stage == "votes")
    assert ids(votes) == ["archive", "restart"]
    assert votes.items[1].score == 0
    assert votes.parameters == {"weight": 100, "voters": 4}
    assert not [run for run in without.runs if run.stage == "votes"]


def test_votes_only_add(voting: Library) -> None:
    stages = Stages(vote_weight=100)
    before = voting.retrieve("odd whirring", collections=BOTH, k=8, stages=stages)
    after = voting.retrieve("odd whirring", collections=BOTH, k=8, stages=stages, ballot=ballot(PLACES))
    old, new = ({item.passage_id: item.score for item in one.fused.items} for one in (before, after))
    assert new["archive"] > old["archive"]
    assert {name: new[name] for name in new if name != "archive"} == pytest.approx(
        {name: old[name] for name in old if name != "archive"}
    )


def test_a_ticket_solved_with_a_page_that_is_not_known_does_not_vote(voting: Library) -> None:
    retrieval = voting.retrieve("odd whirring", collections=BOTH, stages=Stages(), ballot=ballot({}))
    assert [run.items for run in retrieval.runs if run.stage == "votes"] == [()]
