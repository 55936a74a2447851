"""What recorded answers about ``examples/spaceflight`` cost and cite, and the requests that would be sent now."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.citations import _cited, recorded_answers
from benchmarks.data import data_folder
from benchmarks.invented_citations import attributing_by
from benchmarks.recorded_contexts import RECORDED, RecordedContexts, pieces_of
from benchmarks.recorded_questions import RequiredPieces
from polyadic.config import ModelSettings, Settings
from polyadic.generation.citation_parser import marked
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, says

CONTEXT_TOKENS = 4000
"""Token budget of the recorded contexts."""


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """A request for an answer, with the reply to it if there is a recorded one.

    Parameters
    ----------
    asked
        The question.
    calls, prompt_tokens
        Number of calls and of tokens sent.
    pieces
        Texts of the numbered pieces of its context.
    reply
        The recorded reply; empty if there is none.
    """

    asked: RequiredPieces
    method: str
    calls: int
    prompt_tokens: int
    pieces: tuple[str, ...]
    reply: str = ""

    @property
    def coverage(self) -> float:
        return self.asked.in_context(self.pieces)

    @property
    def completion_tokens(self) -> int:
        return sum(count_tokens([self.reply]))

    @property
    def is_declined(self) -> bool:
        return marked(self.reply, len(self.pieces)).says_none


@dataclass(frozen=True, slots=True)
class CitedStatement:
    """A statement of a recorded answer: whether its marker is used again, and which of its quotations are right."""

    reused: bool
    right: tuple[bool, ...]


def recorded_requests(questions: Sequence[RequiredPieces]) -> Iterator[AnswerRequest]:
    """Yield the 120 recorded requests with their replies."""
    by_id = {one.id: one for one in questions}
    for line in (data_folder() / RECORDED / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sent = [message["content"] for message in row["messages"]]
        pieces = tuple(pieces_of(sent[-1]))
        yield AnswerRequest(by_id[row["id"]], row["method"], 1, sum(count_tokens(sent)), pieces, row["reply"])


def current_requests(
    folder: Path, questions: Sequence[RequiredPieces], methods: Sequence[str]
) -> Iterator[AnswerRequest]:
    """Yield the requests that are sent for the questions now, about the workspace in a folder."""
    with ModelServer([says("[none] The documents do not say.")]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        with Workspace(folder, Settings(model=model)) as workspace:
            for method in methods:
                for one in questions:
                    server.reset()
                    server.responders = [says("[none] The documents do not say.")]
                    workspace.query(one.question, method, CONTEXT_TOKENS)
                    sent = [message.text for asked in server.asked for message in asked.messages]
                    pieces = tuple(pieces_of(server.asked[-1].last_user_text))
                    yield AnswerRequest(one, method, len(server.asked), sum(count_tokens(sent)), pieces)


async def cited_statements(contexts: RecordedContexts) -> list[CitedStatement]:
    """Attribute the recorded answers, and compare each quotation with the pattern of its statement."""
    attributing = attributing_by(contexts.embedder)
    statements = []
    for answer in await recorded_answers(contexts):
        attribution = await attributing(answer.text, answer.cited)
        for statement in answer.statements:
            quoted = [citation for citation in _cited(statement, attribution) if not citation.whole_item]
            reused = any(answer.uses_of(marker.number) > 1 for marker in statement.markers)
            right = tuple(statement.is_supported_by(citation.place) for citation in quoted)
            statements.append(CitedStatement(reused, right))
    return statements
