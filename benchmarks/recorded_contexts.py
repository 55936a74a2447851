"""The numbered knowledge of recorded requests, as spans of the documents that it was made from."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.data import data_folder
from benchmarks.kept_workspaces import kept_for
from polyadic.config import ModelSettings, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.generation.context import ContextPiece
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, ItemKind, SourceSpan, Span
from polyadic.retrieval.hierarchy_items import entity_items, first_places
from polyadic.storage.protocol import Reader, Vectors
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer
from tests.model_server.facts import reply_with_facts
from tests.model_server.reading import wanted

EXAMPLE = Path(__file__).parents[1] / "examples/spaceflight"
RECORDED = "spaceflight-model"
_PIECE = re.compile(r"^\[\d+\] (.*(?:\n  .*)*)", re.MULTILINE)
_PASSAGE = re.compile(r"From “(.*?)”: (.*)", re.DOTALL)
_ABOUT = re.compile(r" \(about: [^()]*\)$")
_TITLE = re.compile(r"Document: (.*)\n")
# Facts of a community that a report may cite.
_FACTS_OF_A_REPORT = 200
_ENTITY = re.compile(r"([^:]{1,80}) \([\w ]+\): ")


class RecordedContexts:
    """Finds the spans that each numbered piece of a recorded request was made from.

    A piece is a passage, a fact, an entity, or the report or summary of a community. The last were written for
    communities that are not rebuilt here, so they stand for the facts of the entities that they name.
    """

    def __init__(self, reader: Reader, embedder: Embedder) -> None:
        self._reader = reader
        self.embedder = embedder
        self._documents = [reader.records.document(record.id) for record in reader.records.documents()]
        self._chunks = sorted(reader.chunk_places(reader.rows("chunk")), key=lambda place: place.span)
        rows = reader.rows("fact")
        facts = zip(reader.facts(rows), reader.fact_places(rows), strict=True)
        self._facts = {normal_text(fact.text): places for fact, places in facts}
        entities = reader.rows("entity")
        self._entities = {
            entity.name: row for entity, row in zip(reader.entities(entities), entities.tolist(), strict=True)
        }

    async def pieces(self, request: str) -> list[ContextPiece]:
        """Return the pieces of a request."""
        knowledge, _, question = request.rpartition("\nQuestion: ")
        vector = (await self.embedder.embed([question]))[0]
        return [self._piece(piece, vector) for piece in pieces_of(knowledge)]

    def _piece(self, text: str, vector: Vectors) -> ContextPiece:
        kind, stated, places = ItemKind.REPORT, text, tuple[SourceSpan, ...]()
        fact = next((form for form in (text, _ABOUT.sub("", text)) if normal_text(form) in self._facts), None)
        entity = _ENTITY.match(text)
        if passage := _PASSAGE.fullmatch(text):
            kind, places = ItemKind.CHUNK, (self._passage(passage[1], passage[2]),)
        elif fact:
            kind, stated, places = ItemKind.FACT, fact, self._facts[normal_text(fact)]
        elif entity and entity[1] in self._entities:
            row = np.array([self._entities[entity[1]]], dtype=np.int64)
            score = np.ones(1, dtype=np.float32)
            kind, places = ItemKind.ENTITY, entity_items(row, score, [""], vector, self._reader)[0].places
        else:
            places = self._places_of_a_report(text, vector)
        return ContextPiece(Item(kind, "", stated, 1.0, "", 0, places), places, text)

    def _places_of_a_report(self, text: str, vector: Vectors) -> tuple[SourceSpan, ...]:
        named = [row for name, row in self._entities.items() if re.search(rf"\b{re.escape(name)}\b", text)]
        facts = np.unique(self._reader.facts_of(np.array(named, dtype=np.int64), _FACTS_OF_A_REPORT, vector).targets)
        similarities = self._reader.similarity("fact", facts, vector[None, :])[0]
        return first_places([facts[np.argsort(-similarities, kind="stable")]], self._reader)[0]

    def _passage(self, title: str, text: str) -> SourceSpan:
        """Find a passage in its document, whatever its white space; its brackets are round in a request."""
        words = (re.escape(word).replace(r"\(", r"[\[(]").replace(r"\)", r"[\])]") for word in text.split())
        pattern = re.compile(r"\s+".join(words))
        for document in self._documents:
            match = pattern.search(document.text) if document.title == title else None
            if match:
                span = Span(*match.span())
                chunks = [place for place in self._chunks if place.document_id == document.id]
                chunk = next(place.chunk_id for place in chunks if span.start < place.span.end)
                return SourceSpan(document.id, document.source, title, chunk, span, match[0])
        raise LookupError(f"no document has the passage {text[:60]!r} of {title!r}: examples/spaceflight has changed")


def pieces_of(request: str) -> list[str]:
    """Return the texts of the numbered pieces of a request.

    >>> pieces_of("Knowledge\\n\\n[1] Ada met\\n  Babbage.\\n[2] It rained.\\n\\nQuestion: Who?")
    ['Ada met\\nBabbage.', 'It rained.']
    """
    return [piece.replace("\n  ", "\n") for piece in _PIECE.findall(request)]


@contextmanager
def recorded_contexts(folder: Path) -> Iterator[RecordedContexts]:
    """Open a workspace of ``examples/spaceflight`` with recorded facts below ``folder``, filled if necessary."""
    lines = (data_folder() / RECORDED / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    facts = {row["title"]: row["facts"] for row in map(json.loads, lines)}

    def respond(asked: Asked) -> str | None:
        title, request = _TITLE.match(asked.last_user_text), wanted(asked)
        return reply_with_facts(facts[title[1]], request) if title and title[1] in facts and request else None

    with ModelServer([respond]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        kept = kept_for(EXAMPLE, folder / "spaceflight-with-a-model")
        with Workspace(kept, Settings(model=model)) as workspace:
            if failed := workspace.index([EXAMPLE]).failed:
                raise LookupError(f"no recorded facts: {failed[0].reason}")
            with workspace.store().read() as reader:
                yield RecordedContexts(reader, workspace.embedder)
