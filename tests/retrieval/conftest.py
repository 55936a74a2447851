"""A small body of documents with hand-written facts, read from memory with hashed words for vectors."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from polyadic.config import ModelSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.retrieval.logical_form import LLMQuestionSolver
from polyadic.storage.protocol import Vectors
from tests.model_server import ModelServer, step_replies
from tests.retrieval.memory_reader import MemoryReader

# Title, then each fact with its participants; a document's text is its facts.
WRITTEN: list[tuple[str, list[tuple[str, list[str]]]]] = [
    (
        "Ada Lovelace",
        [
            ("Ada Lovelace wrote the first published program in 1843.", ["Ada Lovelace", "1843"]),
            ("Ada Lovelace was a daughter of Lord Byron.", ["Ada Lovelace", "Lord Byron"]),
        ],
    ),
    (
        "Lord Byron",
        [
            ("Lord Byron died at Missolonghi in 1824.", ["Lord Byron", "Missolonghi", "1824"]),
            ("Lord Byron wrote Don Juan.", ["Lord Byron", "Don Juan"]),
        ],
    ),
    (
        "Analytical Engine",
        [
            ("The Analytical Engine was designed by Charles Babbage.", ["Analytical Engine", "Charles Babbage"]),
            ("The Analytical Engine had a store and a mill.", ["Analytical Engine", "mill"]),
        ],
    ),
    (
        "Charles Babbage",
        [
            ("Charles Babbage was born in London in 1791.", ["Charles Babbage", "London", "1791"]),
            ("Charles Babbage met Ada Lovelace at a party.", ["Charles Babbage", "Ada Lovelace"]),
        ],
    ),
    (
        "Mercury (planet)",
        [("Mercury (planet) is the planet nearest to the Sun.", ["Mercury (planet)", "Sun"])],
    ),
    (
        "Mercury (element)",
        [("Mercury (element) is a liquid metal from Almadén.", ["Mercury (element)", "Almadén"])],
    ),
    ("", [("bread is made of flour and water in an oven.", [])]),
]


def written(order: Sequence[int] = range(len(WRITTEN))) -> list[tuple[Document, Chunk, list[Evidence]]]:
    """The documents in some order, each one chunk, with the evidence of its facts."""
    return [_document(*WRITTEN[i]) for i in order]


def _document(title: str, facts: list[tuple[str, list[str]]]) -> tuple[Document, Chunk, list[Evidence]]:
    text = " ".join(fact for fact, _ in facts)
    document = Document(f"memory:{title or 'untitled'}", title, text)
    evidence = []
    for fact, names in facts:
        start = text.index(fact)
        participants = tuple(Participation(name, score=20.0 if name.isdigit() else 80.0) for name in names)
        evidence.append(Evidence(fact, 8.0, participants, (Span(start, start + len(fact)),), "by hand"))
    return document, Chunk(document.id, Span(0, len(text)), text, len(text.split()), 0), evidence


def read_from_memory(documents: Sequence[tuple[Document, Chunk, Sequence[Evidence]]]) -> MemoryReader:
    def embed(texts: Sequence[str]) -> Vectors:
        return asyncio.run(HashingEmbedder().embed(texts))

    return MemoryReader(documents, embed)


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture(scope="session")
def reader() -> MemoryReader:
    return read_from_memory(written())


def solver_at(server: ModelServer) -> LLMQuestionSolver:
    """A solver that asks this server; one for each event loop."""
    model = ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0)
    return LLMQuestionSolver(EndpointModel(model), PromptLibrary())


@pytest.fixture(scope="session")
def solving() -> Iterator[ModelServer]:
    """A model for methods that need one: it looks up each name of a question, and answers from one line."""
    with ModelServer(step_replies()) as server:
        yield server
