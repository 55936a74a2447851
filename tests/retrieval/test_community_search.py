"""Which communities are nearest, by numbers worked out by hand."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Report, ReportFinding, Summary
from polyadic.model.identity import digest
from polyadic.retrieval.community_search import holding, key_entities, largest_communities, search_communities
from polyadic.retrieval.hierarchy_nodes import Nodes
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors
from tests.retrieval.memory_hierarchy import MemoryHierarchyReader

ENTITIES = {name: row for row, name in enumerate("abcdefgh")}


SUMMARIES = "ST"


def hierarchy_of(
    *communities: str, ratings: Mapping[str, float] | None = None, below: Sequence[str] = ()
) -> MemoryHierarchyReader:
    """Communities of the entities a to h and of the summaries S and T; those ``below`` are on level 1.

    The report of each cites a fact, whose row is that of the first member.
    """

    def embed(texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 2), dtype=np.float32)

    summaries = [Summary(digest(name), 1, name, "", "", (), "by hand") for name in SUMMARIES]
    clusters = [Cluster(0, (name,), (), (), (one,)) for name, one in zip(SUMMARIES, summaries, strict=True)]
    ids = dict(zip(SUMMARIES, sorted(one.id for one in summaries), strict=True))
    held = [
        Community(
            int(names in below),
            tuple(ids.get(name, name) for name in names),
            report=Report(names, "", (ratings or {}).get(names, 5.0), (ReportFinding("", (names[0],)),), "by hand"),
        )
        for names in communities
    ]
    return MemoryHierarchyReader(Hierarchy(tuple(clusters), tuple(held)), ENTITIES, ENTITIES, embed)


class Facts:
    """A reader with the number of facts of each entity, and the similarity of each fact to any question."""

    def __init__(self, degrees: Mapping[str, int], similarities: Mapping[str, float]) -> None:
        self._degrees, self._similarities = degrees, similarities

    def degrees(self, way: str, rows: Rows) -> Rows:
        assert way == "entity_facts"
        return np.array([self._degrees.get("abcdefgh"[row], 1) for row in rows.tolist()])

    def similarity(self, node_type: str, rows: Rows, vectors: Vectors) -> Vectors:
        assert node_type == "fact"
        return np.array([[self._similarities.get("abcdefgh"[row], 0.0) for row in rows.tolist()]] * len(vectors))


def largest(
    most: int,
    hierarchy: MemoryHierarchyReader,
    similarities: Mapping[str, float] | None = None,
    degrees: Mapping[str, int] | None = None,
) -> list[tuple[str, float, str]]:
    reader = cast(Reader, Facts(degrees or {}, similarities or {}))
    found = largest_communities(most, None if similarities is None else np.ones(2, np.float32), reader, hierarchy)
    titles = [one.report.title for one in hierarchy.communities(np.array([n.row for n in found])) if one.report]
    return [(title, round(one.nearness, 4), shown(one.holds)) for title, one in zip(titles, found, strict=True)]


def nodes(names: str) -> Nodes:
    rows = [~SUMMARIES.index(name) if name in SUMMARIES else ENTITIES[name] for name in names]
    return np.array(rows, dtype=np.int64)


def shown(names: Nodes) -> str:
    return "".join(SUMMARIES[~node] if node < 0 else "abcdefgh"[node] for node in names.tolist())


def search(near: dict[str, float], most: int, *communities: str, again: float = 0.5) -> list[tuple[str, float, str]]:
    hierarchy = hierarchy_of(*communities)
    hits = Hits(nodes("".join(near)), np.array(list(near.values()), dtype=np.float32))
    found = search_communities(hits, most, hierarchy, again)
    titles = [one.report.title for one in hierarchy.communities(np.array([n.row for n in found])) if one.report]
    return [(title, round(one.nearness, 4), shown(one.holds)) for title, one in zip(titles, found, strict=True)]


def test_the_score_is_the_sum_of_similarities_and_what_is_held_counts_half_the_next_time() -> None:
    near = {"b": 0.5, "a": 0.4, "S": 0.3, "c": 0.1}
    # bcd: 0.6 at first, of which b has been told by abS when its turn comes.
    assert search(near, 9, "abS", "bcd", "e") == [("abS", 1.2, "baS"), ("bcd", 0.35, "bc")]
    assert search(near, 1, "abS", "bcd", "e") == [("abS", 1.2, "baS")]
    assert search(near, 0, "abS", "bcd", "e") == search(near, 9, "abS", "bcd")


def test_all_communities_of_the_nearest_are_found_even_if_they_add_nothing() -> None:
    near = {"a": 0.5, "b": -0.2, "c": -0.3}
    assert [name for name, *_ in search(near, 9, "ab", "bc", "cd", "e")] == ["ab"]
    assert sorted(name for name, *_ in search(near, 0, "ab", "bc", "cd", "e")) == ["ab", "bc", "cd"]


def test_a_fully_covered_community_adds_nothing() -> None:
    near = {"a": 0.5, "b": 0.4}
    assert search(near, 9, "abc", "ad", again=0.0) == [("abc", 0.9, "ab")]
    assert search(near, 9, "abc", "ad", again=0.5) == [("abc", 0.9, "ab"), ("ad", 0.25, "a")]
    # A quarter where two have told of it.
    assert search({"a": 0.4}, 9, "ab", "acd", "aefg") == [("ab", 0.4, "a"), ("acd", 0.2, "a"), ("aefg", 0.1, "a")]


def test_of_equal_ones_that_with_fewer_members_comes_first() -> None:
    assert [title for title, _, _ in search({"a": 0.5, "e": 0.5}, 9, "abcd", "ef", "eSgh")][:1] == ["ef"]


def test_where_nothing_is_alike_there_is_still_one() -> None:
    assert search({"a": -0.5, "c": 0.0}, 9, "abd", "cd", "cef") == [("cd", 0.0, "c")]
    assert search({"h": 0.9}, 9, "abd") == []


def test_the_members_of_communities_among_the_nearest() -> None:
    hierarchy = hierarchy_of("abS", "bcd", "ef")
    rows = np.arange(3)
    held, sizes = holding(rows, nodes("Scb"), hierarchy.held(rows))
    titles = [one.report.title for one in hierarchy.communities(rows) if one.report]
    assert dict(zip(titles, held.tolist(), strict=True)) == {
        "abS": [True, False, True],
        "bcd": [False, True, True],
        "ef": [False, False, False],
    }
    assert dict(zip(titles, sizes.tolist(), strict=True)) == {"abS": 3, "bcd": 3, "ef": 2}


def test_key_entities_are_the_best_ties_entities_first() -> None:
    hierarchy = hierarchy_of("abcTS", "bde")
    worth = dict(zip(nodes("abcdeST").tolist(), [1, 2, 1, 2, 3, 1, 1], strict=True))

    def worth_of(some: Nodes) -> Vectors:
        assert len(set(some.tolist())) == len(some)
        return np.array([worth[node] for node in some.tolist()], dtype=np.float32)

    hits = Hits(nodes("abS"), np.array([1, 1, 1], dtype=np.float32))
    communities = search_communities(hits, 2, hierarchy)
    assert [shown(one) for one in key_entities(communities, 9, worth_of, hierarchy)] == ["bacST", "ebd"]
    assert [shown(one) for one in key_entities(communities, 2, worth_of, hierarchy)] == ["ba", "eb"]


def test_the_largest_communities_come_by_level_and_by_size_times_rating() -> None:
    ratings = {"de": 9.0, "fgh": 4.0, "bcdefg": 10.0}
    hierarchy = hierarchy_of("abc", "de", "fgh", "bcdefg", ratings=ratings, below=["bcdefg"])
    assert largest(9, hierarchy) == [
        ("de", 18.0, "de"),
        ("abc", 15.0, "abc"),
        ("fgh", 12.0, "fgh"),
        ("bcdefg", 60.0, "bcdefg"),
    ]
    assert [title for title, *_ in largest(1, hierarchy)] == ["de"]


def test_relevance_is_one_more_than_the_similarity_of_the_nearest_cited_fact() -> None:
    hierarchy = hierarchy_of("abc", "de", "fg")
    assert largest(9, hierarchy, {"a": -0.5, "d": 0.25, "f": 0.75}) == [
        ("fg", 17.5, "fg"),
        ("abc", 15.0, "abc"),
        ("de", 12.5, "de"),
    ]


def test_a_largest_community_holds_entities_with_most_facts_first_then_summaries() -> None:
    assert largest(1, hierarchy_of("abcS", "de"), degrees={"b": 3, "d": 9}) == [("abcS", 20.0, "bacS")]


def test_only_the_largest_communities_are_considered() -> None:
    small = ["ab", "bc", "cd", "de", "ef", "fg"]
    hierarchy = hierarchy_of(*small, "abc", ratings=dict.fromkeys(small, 4.0) | {"abc": 9.0})
    assert largest(1, hierarchy) == [("abc", 27.0, "abc")]
