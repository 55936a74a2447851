"""Having many chunks read at once, so that what goes wrong with one costs the others nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Self

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.extraction.extractor import Extraction, Extractor, concurrency_of
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.loaders.error_isolation import DocumentDefect, skipped_because
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Chunk, Document, Evidence

# So many calls in a row that brought no reply are no accident; neither are so many replies in a row that cannot be
# used, if they are about several documents: one document alone may be what the model does not want to read.
_IN_A_ROW, _DOCUMENTS = 12, 3


@dataclass(frozen=True, slots=True)
class ChunkFailure:
    """A chunk that could not be read, and why."""

    document: Document
    chunk: Chunk
    reason: str


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk of which the replies to some requests are awaited from a batch file."""

    document: Document
    chunk: Chunk
    requests: tuple[PendingRequest, ...]


@dataclass(slots=True)
class ExtractionOutcomes:
    """What came of it: evidence by document and chunk, and documents (by id) of which some chunk was not even tried.

    ``waiting`` are chunks that are asked about by file. ``defects`` reports documents (by id) that a defect of the
    extractor keeps from being read; there is no evidence of these.
    """

    evidence: dict[str, dict[str, tuple[Evidence, ...]]] = field(default_factory=dict)
    failures: list[ChunkFailure] = field(default_factory=list)
    waiting: list[PendingChunk] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    untried: set[str] = field(default_factory=set)
    defects: dict[str, SkippedInput] = field(default_factory=dict)

    def drop_defective(self) -> None:
        """Drop what was read of documents that are skipped."""
        if not self.defects:
            return
        self.evidence = {id_: read for id_, read in self.evidence.items() if id_ not in self.defects}
        self.failures = [one for one in self.failures if one.document.id not in self.defects]
        self.waiting = [one for one in self.waiting if one.document.id not in self.defects]


class _Share:
    """The chunks that were handed in together; ``read`` is done when all of them are, or reading one has crashed."""

    def __init__(self, left: int, tried_before: Collection[str]) -> None:
        self.outcomes = ExtractionOutcomes()
        self.left = left
        self.tried_before = tried_before
        self.context = copy_context()
        self.read: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def one_less(self) -> None:
        self.left -= 1
        if not self.left and not self.read.done():
            self.read.set_result(None)

    def crashed(self, error: Exception) -> None:
        if not self.read.done():
            self.read.set_exception(error)


class ExtractionRunner:
    """Have chunks read in the order in which they are handed in, as many at once as the extractor takes.

    ``stopped`` says why no more are tried; empty where all are. What is being read by then is read to the end: it is
    paid for.

    Parameters
    ----------
    extractor
        What reads them.
    report_read
        Called after every chunk that was read or has failed.
    """

    def __init__(self, extractor: Extractor, report_read: Callable[[], None]) -> None:
        self.stopped = ""
        self._extractor = extractor
        self._report_read = report_read
        self._left: asyncio.Queue[tuple[_Share, Document, Chunk]] = asyncio.Queue()
        self._at_work: list[asyncio.Task[None]] = []
        self._has_crashed = False
        self._silent = 0
        self._useless: list[str] = []

    async def __aenter__(self) -> Self:
        self._at_work = [asyncio.create_task(self._work()) for _ in range(concurrency_of(self._extractor))]
        return self

    async def __aexit__(self, *_: object) -> None:
        for reader in self._at_work:
            reader.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)

    @property
    def left(self) -> int:
        """How many chunks nobody has taken yet."""
        return self._left.qsize()

    async def read(
        self, chunks: Sequence[tuple[Document, Chunk]], tried_before: Collection[str] = ()
    ) -> ExtractionOutcomes:
        """Have all of these read.

        Parameters
        ----------
        chunks
            Each with its document.
        tried_before
            Documents (by id) of which chunks failed in an earlier run: that they fail again is no reason to stop, or
            what comes after them would never be reached.
        """
        share = _Share(len(chunks), tried_before)
        for document, chunk in chunks:
            self._left.put_nowait((share, document, chunk))
        if chunks:
            await share.read
        share.outcomes.drop_defective()
        return share.outcomes

    async def _work(self) -> None:
        """Read one chunk after the other of those that nobody has taken yet; where one crashes, the run is over."""
        while not self._has_crashed:
            share, document, chunk = await self._left.get()
            reading = self._read(share, document, chunk)
            try:
                # As part of what whoever handed it in is doing; and a place to be cancelled at.
                await asyncio.create_task(reading, context=share.context.copy())
            except Exception as error:
                self._has_crashed = True
                share.crashed(error)
            share.one_less()

    async def _read(self, share: _Share, document: Document, chunk: Chunk) -> None:
        if document.id in share.outcomes.defects:
            return
        if self.stopped:
            share.outcomes.untried.add(document.id)
            return
        try:
            extraction = await self._extractor.extract(document, chunk)
        except NoReply as problem:
            self._failed(share, document, chunk, problem)
        except ReplyPending as awaited:
            self._silent = 0
            share.outcomes.waiting.append(PendingChunk(document, chunk, awaited.requests))
            return
        except ModelUnavailable as problem:
            share.outcomes.untried.add(document.id)
            self._stop(str(problem))
            return
        except DocumentDefect as defect:
            share.outcomes.defects[document.id] = skipped_because(document.source, defect)
            return
        else:
            self._keep(share.outcomes, document, chunk, extraction)
        self._report_read()

    def _keep(self, outcomes: ExtractionOutcomes, document: Document, chunk: Chunk, extraction: Extraction) -> None:
        self._silent = 0
        self._useless.clear()
        outcomes.evidence.setdefault(document.id, {})[chunk.id] = extraction.evidence
        outcomes.problems.update(extraction.problems)

    def _failed(self, share: _Share, document: Document, chunk: Chunk, problem: NoReply) -> None:
        share.outcomes.failures.append(ChunkFailure(document, chunk, str(problem)))
        if problem.usage is None:
            self._silent += 1
        elif document.id not in share.tried_before:
            self._silent = 0
            self._useless.append(document.id)
        useless = len(self._useless) >= _IN_A_ROW and len(set(self._useless)) >= _DOCUMENTS
        if useless or self._silent >= _IN_A_ROW:
            self._stop(f"{_IN_A_ROW} chunks in a row could not be read, the last because {problem}")

    def _stop(self, why: str) -> None:
        """The first reason is the one to act upon: others follow from it."""
        self.stopped = self.stopped or why
