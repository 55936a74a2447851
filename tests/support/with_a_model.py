"""Workspaces whose documents are read by the model of a test server, and what they then hold."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import ChunkingSettings, EmbeddingSettings, ExtractionSettings, ModelSettings, Settings
from polyadic.model.types import Document, Evidence
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Responder, ready
from tests.model_server.facts import EntityRow, FactRow, reply_with_facts
from tests.model_server.names import names
from tests.model_server.reading import numbered, wanted
from tests.support.canonical import canonical

SENTENCES = (
    "Ada Lovelace met Charles Babbage in London.",
    "Charles Babbage designed the Analytical Engine.",
    "Luigi Menabrea described the Analytical Engine in Turin.",
    "Mary Somerville taught Ada Lovelace in Chelsea.",
)
TEXT = " ".join(SENTENCES)
SMALL = ChunkingSettings(tokens=50, overlap=0, window_tokens=0)
HASHING = EmbeddingSettings(model="hashing")


def settings(
    server: ModelServer,
    extraction: ExtractionSettings | None = None,
    chunking: ChunkingSettings | None = None,
    **model: Any,
) -> Settings:
    """Settings under which the server's model reads; a call that fails is not made again."""
    asked = {"name": "recorded", "base_url": server.url, "key_variable": "", "retries": 0, "timeout": 20.0}
    return Settings(
        model=ModelSettings.model_validate(asked | model),
        extraction=extraction or ExtractionSettings(),
        chunking=chunking or ChunkingSettings(),
        embedding=HASHING,
    )


@contextmanager
def workspace(
    folder: Path,
    server: ModelServer,
    extraction: ExtractionSettings | None = None,
    chunking: ChunkingSettings | None = None,
    **model: Any,
) -> Iterator[Workspace]:
    with Workspace(folder, settings(server, extraction, chunking, **model)) as kb:
        yield kb


def export(kb: Workspace) -> str:
    """All that a workspace knows, as canonical text."""
    return canonical(kb._existing_store)


def evidence(kb: Workspace, source: str) -> list[Evidence]:
    """All evidence of a document in its order; none if it is not published."""
    with kb._existing_store.write() as writer:
        published = writer.current([Document(source, "", "").id])
        return [e for _, chunks in published for _, said in chunks for e in said]


def fact(text: str, names: Sequence[str], sentences: Sequence[int] = (), score: float = 8) -> FactRow:
    entities = [EntityRow(name=name, type="thing", description=f"{name} it is", score=80) for name in names]
    return FactRow(text=text, score=score, sentences=[*sentences], entities=entities)


def replies(rows: Callable[[Asked], Sequence[FactRow]]) -> Responder:
    """Says these facts, in the format that is asked for."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        return reply_with_facts(rows(asked), request) if request and request.subject == "facts" else None

    return respond


def serving(*rows: FactRow) -> ModelServer:
    """A server that always states the same facts, with their entities in each: it knows no schema."""
    return ModelServer([replies(lambda asked: rows), *ready()], json_modes=("json_object",))


def story(part: int, sentences: int = 40) -> str:
    """A text of which every sentence is another, in short paragraphs."""
    people = ("Mira Falk", "Jonas Brandt", "Ilse Orth", "Pavel Novak", "Clara Weiss")
    places = ("Osk", "Lund", "Brno", "Graz", "Turin", "Basel", "Ghent")
    said = [
        f"{people[n % 5]} sent letter {part * 1000 + n} from {places[n % 7]} to {people[(n + 2) % 5]} about a harbour."
        for n in range(sentences)
    ]
    return "\n\n".join(" ".join(said[n : n + 4]) for n in range(0, sentences, 4))


def write_letters(folder: Path, number: int, sentences: int) -> Path:
    """Write stories into a folder, each into a file that has its number as name."""
    folder.mkdir(exist_ok=True)
    digits = len(str(number - 1))
    for part in range(number):
        (folder / f"{part:0{digits}}.txt").write_text(story(part, sentences))
    return folder


@contextmanager
def configured_model(environment: pytest.MonkeyPatch, delay: float, at_once: int = 2) -> Iterator[ModelServer]:
    """Run a model that extracts facts from small chunks, each reply after a delay in seconds."""
    with ModelServer([*ready()], delay=delay) as server:
        for name, value in {
            "EMBEDDING__MODEL": "hashing",
            "MODEL__NAME": "recorded",
            "MODEL__BASE_URL": server.url,
            "MODEL__KEY_VARIABLE": "",
            "MODEL__AT_ONCE": str(at_once),
            "MODEL__RETRIES": "0",
            "CHUNKING__TOKENS": "60",
            "CHUNKING__OVERLAP": "0",
            "CHUNKING__WINDOW_TOKENS": "0",
        }.items():
            environment.setenv(f"POLYADIC_{name}", value)
        yield server


def by_look_of(first: int) -> ModelServer:
    """States so many of the numbered sentences in the first look, the rest in the second."""

    def rows(asked: Asked) -> list[FactRow]:
        sentences = numbered(asked.messages[1].text)
        looked = any(message.role == "assistant" for message in asked.messages)
        kept = sentences[first:] if looked else sentences[:first]
        return [fact(text, names(text)[:2], [number]) for number, text in kept]

    return ModelServer([replies(rows)])
