"""What recorded answers about ``examples/spaceflight`` cost and cite, and the requests that would be sent now."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.citations import citations_for, is_reused, statements_in
from benchmarks.data import data_folder
from benchmarks.recorded_contexts import RECORDED, pieces_of
from benchmarks.recorded_questions import RequiredPieces
from benchmarks.recorded_replies import RecordedReply, reply_to, settings_of
from polyadic.generation.citation_parser import marked
from polyadic.model.types import Answer
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer

CONTEXT_TOKENS = 4000
"""Token budget of the recorded contexts."""


@dataclass(frozen=True, slots=True)
class CitedStatement:
    """A statement of a recorded answer: whether its marker is used again, and which of its quotations are right."""

    reused: bool
    right: tuple[bool, ...]


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
    statements
        The statements of the reply with today's quotations.
    """

    asked: RequiredPieces
    method: str
    calls: int
    prompt_tokens: int
    pieces: tuple[str, ...]
    reply: str = ""
    statements: tuple[CitedStatement, ...] = ()

    @property
    def coverage(self) -> float:
        return self.asked.in_context(self.pieces)

    @property
    def completion_tokens(self) -> int:
        return sum(count_tokens([self.reply]))

    @property
    def is_declined(self) -> bool:
        return marked(self.reply, len(self.pieces)).says_none


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
    """Yield the requests that are sent now, about the workspace in a folder, with the recorded replies."""
    with ModelServer() as server, Workspace(folder, settings_of(server.url)) as workspace:
        for method in methods:
            for one in questions:
                server.reset()
                server.responders = [_recorded_answer]
                answer = workspace.query(one.question, method, CONTEXT_TOKENS)
                sent = [message.text for asked in server.asked for message in asked.messages]
                pieces = tuple(pieces_of(server.asked[-1].last_user_text))
                recorded = reply_to(server.asked[-1]) or RecordedReply("answer", "")
                statements = tuple(_cited_statements(answer, recorded))
                calls, tokens = len(server.asked), sum(count_tokens(sent))
                yield AnswerRequest(one, method, calls, tokens, pieces, recorded.text, statements)


def _recorded_answer(asked: Asked) -> str:
    reply = reply_to(asked)
    return reply.text if reply else "[none] No reply was recorded."


def _cited_statements(answer: Answer, recorded: RecordedReply) -> Iterator[CitedStatement]:
    """Compare each quotation of an answer with the patterns of its statement."""
    numbers = max((citation.marker for citation in answer.citations), default=0)
    for statement in statements_in(answer.text, numbers, recorded.statements):
        quoted = citations_for(statement, answer.citations)
        right = tuple(statement.is_supported_by(citation.place) for citation in quoted if not citation.whole_item)
        yield CitedStatement(is_reused(statement, answer.text, numbers), right)
