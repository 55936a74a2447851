"""Collect batch responses into the store: replies into the response cache, costs into the ledger, each once."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from polyadic.batch.hierarchy_build import USABLE
from polyadic.batch.report import BatchReadReport
from polyadic.batch.response_parser import BatchResponse, UnreadableLine, responses
from polyadic.errors import NoReply
from polyadic.extraction.llm_extractor import is_usable
from polyadic.generation.citation_parser import unthought
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from polyadic.model.types import Usage
from polyadic.resolution.llm_adjudication import SAME_ENTITY, has_verdicts
from polyadic.storage.pending_requests import PendingReply
from polyadic.storage.protocol import LedgerCall, Store, Writer

# Lines per transaction.
_LINES_PER_TRANSACTION = 500
# Errors that parsing a reply with an unexpected structure can raise.
_PARSING_ERRORS = (AttributeError, LookupError, OverflowError, RuntimeError, TypeError, ValueError)
# Refusals concern parameters, so there are few of them; a larger number concerns the contents of the requests.
_MOST_REFUSALS = 100


def _is_usable_extraction(reply: ModelReply) -> bool:
    # A truncated reply is kept as well: its halves are requested next.
    return is_usable(reply) or not reply.complete


_USABLE: Mapping[str, Callable[[ModelReply], bool]] = {
    "extract": _is_usable_extraction,
    "glean": _is_usable_extraction,
    "answer": lambda reply: bool(unthought(reply.text)),
    SAME_ENTITY: has_verdicts,
    **USABLE,
}
"""Whether a reply is worth caching, by purpose; replies for other purposes always are."""
_NO_FURTHER_CHECKS: Mapping[str, Callable[[ModelReply], bool]] = {}


class ResponseCollector:
    """Collector of batch responses.

    Parameters
    ----------
    store
        Store with the pending requests; responses to other requests are ignored.
    model_for
        Returns the model that parses the replies to requests with a purpose.
    report
        Report to add counts to.
    usable
        Whether a reply is worth caching, by purpose, for purposes other than those of indexing, answering, the
        hierarchy and entities.

    Attributes
    ----------
    errors
        Why the last response to a request was unusable, by request key.
    refusals
        Messages of the endpoint for requests that it rejected because of their parameters.
    """

    def __init__(
        self,
        store: Store,
        model_for: Callable[[str], EndpointModel],
        report: BatchReadReport,
        usable: Mapping[str, Callable[[ModelReply], bool]] = _NO_FURTHER_CHECKS,
    ) -> None:
        self.errors: dict[str, str] = {}
        self.refusals: set[str] = set()
        self._store = store
        self._model_for = model_for
        self._report = report
        self._usable = {**_USABLE, **usable}

    async def take(self, file: Path) -> None:
        """Collect the responses of a file; an interruption loses at most the current group of lines."""
        lines = iter(responses(file))
        while group := list(islice(lines, _LINES_PER_TRANSACTION)):
            self._take_group(group)
            await asyncio.sleep(0)  # allow cancellation

    def _take_group(self, group: Iterable[BatchResponse | UnreadableLine]) -> None:
        with self._store.write() as writer:
            for line in group:
                if isinstance(line, UnreadableLine):
                    self._report.unreadable.append(line)
                else:
                    self._take_one(line, writer)

    def _take_one(self, response: BatchResponse, writer: Writer) -> None:
        pending = writer.waiting.get(response.key) if response.key else None
        if pending is None:
            known = bool(response.key) and writer.waiting.is_known(response.key)
            self._report.duplicates += known
            self._report.unknown_requests += not known
        elif pending.known:
            self._report.duplicates += 1
        else:
            self._record(response, pending, writer)

    def _record(self, response: BatchResponse, pending: PendingReply, writer: Writer) -> None:
        try:
            reply, error = self._read(response, pending.purpose)
        except _PARSING_ERRORS:
            reason = "not a model reply in the expected format"
            self._report.unreadable.append(UnreadableLine(response.file, response.number, reason))
            return
        cached = (response.key, reply.text, reply.complete) if not error else None
        usage = Usage()
        if reply.usage.calls and writer.waiting.enter(response.digest):
            model = self._model_for(pending.purpose)
            usage = replace(reply.usage, money=reply.usage.money * (1 - model.batch_discount))
            writer.waiting.pay(response.key, usage)
            writer.record_call(LedgerCall(pending.purpose, model.name, usage, 0.0, pending.document), cached)
            self._report.usage += usage
        elif cached:
            writer.waiting.cache_reply(*cached)
        if error:
            self.errors[response.key] = error
            self._report.refused += 1
        else:
            self.errors.pop(response.key, None)
            self._report.accepted += 1

    def _read(self, response: BatchResponse, purpose: str) -> tuple[ModelReply, str]:
        """Return the reply and why it is unusable; the reply carries the usage in either case."""
        if response.body is None:
            if response.refusal and len(self.refusals) < _MOST_REFUSALS:
                self.refusals.add(response.refusal)
            return ModelReply("", False, Usage(), 0.0), response.error
        model = self._model_for(purpose)
        try:
            reply = model.read(response.body)
        except NoReply as problem:
            return ModelReply("", False, problem.usage or Usage(), 0.0), problem.what
        usable = self._usable.get(purpose)
        return reply, "" if usable is None or usable(reply) else f"{model.name} returned nothing usable"
