"""Workspaces answer the questions that a hypergraph itself answers."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.errors import NotFound
from polyadic.model.identity import entity_key
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.support.examples import examples
from tests.test_workspace import HASHING, kb

__all__ = ["kb"]


# Proposition 2 of HyperGraphRAG (arXiv 2503.21322), against a model of sets

NAMES = ("Arlen", "Bostock", "Ada Cadwell", "Dunmore", "Efford", "Gilby")
Hyperedges = dict[str, frozenset[str]]

# Each sentence is a paragraph that begins with one of its own names, so it is about nothing else.
sentences = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True)
corpora = st.lists(st.lists(sentences, max_size=5), max_size=5)
few_examples = settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def written(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]} met there." if names[1:] else f"{names[0]} slept there."


def document(i: int, said: Sequence[Sequence[str]]) -> Document:
    return Document(f"memory:{i}", "", "\n\n".join(written(names) for names in said))


def hyperedges(corpus: Sequence[Sequence[Sequence[str]]]) -> Hyperedges:
    """What the documents state: the text of each fact, and the keys of its entities."""
    return {written(names): frozenset(map(entity_key, names)) for said in corpus for names in said if len(names) > 1}


@contextmanager
def workspace_of(corpus: Sequence[Sequence[Sequence[str]]]) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder, Workspace(folder, HASHING) as workspace:
        workspace.add([document(i, said) for i, said in enumerate(corpus)])
        yield workspace


def known(model: Hyperedges) -> list[str]:
    keys = frozenset[str]().union(*model.values())
    return [name for name in NAMES if entity_key(name) in keys]


def recovered(workspace: Workspace, names: Sequence[str]) -> Hyperedges:
    """All hyperedges, from nothing but the answers of facts_of and entities_of."""
    facts = {fact.id: fact.text for name in names for fact in workspace.facts_of(name)}
    return {text: frozenset(entity.key for entity in workspace.entities_of(fact)) for fact, text in facts.items()}


@given(corpora)
@few_examples
def test_facts_of_an_entity(corpus: list[list[list[str]]]) -> None:
    model = hyperedges(corpus)
    with workspace_of(corpus) as workspace:
        for name in known(model):
            found = workspace.facts_of(name)
            expected = [text for text, keys in model.items() if entity_key(name) in keys]
            assert sorted(fact.text for fact in found) == sorted(expected)
            assert [fact.score for fact in found] == sorted((fact.score for fact in found), reverse=True)
        for name in set(NAMES) - set(known(model)):
            with pytest.raises(NotFound, match="no entity matches"):
                workspace.facts_of(name)


@given(corpora)
@few_examples
def test_entities_of_a_fact(corpus: list[list[list[str]]]) -> None:
    model = hyperedges(corpus)
    with workspace_of(corpus) as workspace:
        facts = {fact.id: fact for name in known(model) for fact in workspace.facts_of(name)}
        for fact in facts.values():
            entities = workspace.entities_of(fact.id)
            assert len(entities) == len(model[fact.text])
            assert {entity.key for entity in entities} == model[fact.text]
            assert {entity.name for entity in entities} == set(fact.entities)
        for entity in (entity for fact in facts for entity in workspace.entities_of(fact)):
            assert entity.facts == sum(entity.key in keys for keys in model.values())


@given(corpora)
@few_examples
def test_co_occurrence(corpus: list[list[list[str]]]) -> None:
    model = hyperedges(corpus)
    with workspace_of(corpus) as workspace:
        for first, second in combinations(known(model), 2):
            together = any({entity_key(first), entity_key(second)} <= keys for keys in model.values())
            assert workspace.co_occur(first, second) is workspace.co_occur(second, first) is together
        assert all(workspace.co_occur(name, name) for name in known(model))


@given(corpora, st.sets(st.sampled_from(NAMES), min_size=1, max_size=4))
@few_examples
def test_facts_containing_all_given_entities(corpus: list[list[list[str]]], asked: set[str]) -> None:
    model = hyperedges(corpus)
    with workspace_of(corpus) as workspace:
        if asked <= set(known(model)):
            found = workspace.facts_containing(sorted(asked))
            wanted = {entity_key(name) for name in asked}
            assert Counter(fact.text for fact in found) == Counter(t for t, keys in model.items() if wanted <= keys)
        else:
            with pytest.raises(NotFound, match="no entity matches"):
                workspace.facts_containing(sorted(asked))


@given(corpora)
@few_examples
def test_bipartite_form_is_lossless(corpus: list[list[list[str]]]) -> None:
    """Also after a document was withdrawn."""
    with workspace_of(corpus) as workspace:
        for rest in (corpus, corpus[1:]):
            model = hyperedges(rest)
            if rest is not corpus and corpus:
                workspace.delete("memory:0")
            assert recovered(workspace, known(model)) == model


@given(corpora)
@few_examples
def test_status_counts_contents(corpus: list[list[list[str]]]) -> None:
    model = hyperedges(corpus)
    sizes = [len(keys) for keys in model.values()]
    with workspace_of(corpus) as workspace:
        status = workspace.status()
        counts = status.counts
        assert (counts.documents, counts.chunks) == (len(corpus), sum(bool(said) for said in corpus))
        assert (counts.facts, counts.entities, counts.participations) == (len(model), len(known(model)), sum(sizes))
        assert counts.evidence == sum(len(said) for said in corpus)
        assert counts.evidence_with_fact == sum(len(names) > 1 for said in corpus for names in said)
        assert status.arities == Counter(sizes)
        assert (status.embedder, counts.dimension) == ("hashing-384", 384 if counts.vectors else 0)
        assert status.bytes > 0


def test_requested_number_of_facts_is_returned(kb: Workspace) -> None:
    for limit in (0, 1, 2):
        assert kb.facts_of("Ada Lovelace", limit) == kb.facts_of("Ada Lovelace")[:limit]
        assert len(kb.facts_containing(["Ada Lovelace"], limit)) == limit


def test_name_lookup_ignores_spelling_variants(kb: Workspace) -> None:
    for name in ("ada lovelace", '"Ada  Lovelace"', "The Ada Lovelace", "Ada Lovelace's", "Àda Lovelace"):
        assert {fact.text for fact in kb.facts_of(name)} == {fact.text for fact in kb.facts_of("Ada Lovelace")}
