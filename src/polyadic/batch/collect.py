"""Takes responses into the store: each good reply once into the memory, each paid one once into the ledger."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from polyadic.batch.hierarchy import USABLE
from polyadic.batch.report import BatchReadReport
from polyadic.batch.response_reader import BatchResponse, UnreadableLine, responses
from polyadic.errors import NoReply
from polyadic.extraction.llm_extractor import is_usable
from polyadic.generation.citation_parser import unthought
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.model.types import Usage
from polyadic.storage.pending_requests import AwaitedReply
from polyadic.storage.protocol import LedgerCall, Store, Writer

# So many lines are committed together.
_GROUP = 500
# What reading a reply of a form that nobody thought of can end with.
_UNFORESEEN = (AttributeError, LookupError, OverflowError, RuntimeError, TypeError, ValueError)
# A refusal is about a parameter, so there are few; more of them are about what was asked.
_REFUSALS = 100


def _of_facts(reply: ModelReply) -> bool:
    # What was cut off is kept as well: its halves are asked for next.
    return is_usable(reply) or not reply.complete


_USABLE: Mapping[str, Callable[[ModelReply], bool]] = {
    "extract": _of_facts,
    "glean": _of_facts,
    "answer": lambda reply: bool(unthought(reply.text)),
    **USABLE,
}
"""Whether a reply is worth remembering, by what it is for; any is for what is not named."""
_NOTHING_MORE: Mapping[str, Callable[[ModelReply], bool]] = {}
_NO_OTHERS: Mapping[str, EndpointModel] = {}


class ResponseCollector:
    """Takes responses in; ``errors`` says by request why its last response was of no use, ``refusals`` are what the
    endpoint said of requests that it would not take as they were.

    Parameters
    ----------
    store
        Knows what is awaited; nothing else is taken.
    model
        Reads replies.
    discount
        Share of the price that the provider takes off.
    report
        What was done is entered here.
    usable
        Whether a reply is worth remembering, by what it is for, where whoever asks asks for more than indexing,
        answering and building do.
    models
        Which model is asked, by what for, where that is another one.
    """

    def __init__(
        self,
        store: Store,
        model: EndpointModel,
        discount: float,
        report: BatchReadReport,
        usable: Mapping[str, Callable[[ModelReply], bool]] = _NOTHING_MORE,
        models: Mapping[str, EndpointModel] = _NO_OTHERS,
    ) -> None:
        self.errors: dict[str, str] = {}
        self.refusals: set[str] = set()
        self._store = store
        self._model = model
        self._discount = discount
        self._report = report
        self._usable = {**_USABLE, **usable}
        self._models = models

    async def take(self, file: Path) -> None:
        """Take in a file of responses; killed at any moment, it loses at most the group of lines in hand."""
        lines = iter(responses(file))
        while group := list(islice(lines, _GROUP)):
            self._take_group(group)
            await asyncio.sleep(0)  # a place to be cancelled at

    def _take_group(self, group: Iterable[BatchResponse | UnreadableLine]) -> None:
        with self._store.write() as writer:
            for line in group:
                if isinstance(line, UnreadableLine):
                    self._report.unreadable.append(line)
                else:
                    self._take_one(line, writer)

    def _take_one(self, response: BatchResponse, writer: Writer) -> None:
        awaited = writer.waiting.get(response.key) if response.key else None
        if awaited is None:
            known = bool(response.key) and writer.waiting.is_known(response.key)
            self._report.known += known
            self._report.strangers += not known
        elif awaited.known:
            self._report.known += 1
        else:
            self._enter(response, awaited, writer)

    def _enter(self, response: BatchResponse, awaited: AwaitedReply, writer: Writer) -> None:
        try:
            reply, error = self._read(response, awaited.purpose)
        except _UNFORESEEN:
            reason = "it holds something that no model's reply has"
            self._report.unreadable.append(UnreadableLine(response.file, response.number, reason))
            return
        kept = (response.key, reply.text, reply.complete) if not error else None
        usage = Usage()
        if reply.usage.calls and writer.waiting.enter(response.digest):
            usage = self._priced(reply.usage)
            writer.waiting.pay(response.key, usage)
            model = self._asked(awaited.purpose).name
            writer.note_call(LedgerCall(awaited.purpose, model, usage, 0.0, awaited.document), kept)
            self._report.usage += usage
        elif kept:
            writer.waiting.remember(*kept)
        if error:
            self.errors[response.key] = error
            self._report.refused += 1
        else:
            self.errors.pop(response.key, None)
            self._report.taken += 1

    def _read(self, response: BatchResponse, purpose: str) -> tuple[ModelReply, str]:
        """The reply, and why it is of no use; what was paid stands in the reply in either case."""
        if response.body is None:
            if response.refusal and len(self.refusals) < _REFUSALS:
                self.refusals.add(response.refusal)
            return ModelReply("", False, Usage(), 0.0), response.error
        model = self._asked(purpose)
        try:
            reply = model.read(response.body)
        except NoReply as problem:
            return ModelReply("", False, problem.usage or Usage(), 0.0), problem.what
        usable = self._usable.get(purpose)
        return reply, "" if usable is None or usable(reply) else f"{model.name} said nothing that can be used"

    def _asked(self, purpose: str) -> EndpointModel:
        return self._models.get(purpose, self._model)

    def _priced(self, usage: Usage) -> Usage:
        return replace(usage, money=usage.money * (1 - self._discount))
