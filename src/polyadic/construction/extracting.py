"""Having many chunks read at once, so that what goes wrong with one costs the others nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from polyadic.construction.extractor import Extraction, Extractor, at_once
from polyadic.errors import ModelUnavailable, NoReply
from polyadic.knowledge import Chunk, Document, Evidence
from polyadic.models.by_file import Noted, ReplyAwaited

# So many calls in a row that brought no reply are no accident; neither are so many replies in a row that cannot be
# used, if they are about several documents: one document alone may be what the model does not want to read.
_IN_A_ROW, _DOCUMENTS = 12, 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A chunk that could not be read, and why."""

    document: Document
    chunk: Chunk
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A chunk of which the replies to some requests are awaited from a batch file."""

    document: Document
    chunk: Chunk
    requests: tuple[Noted, ...]


@dataclass(slots=True)
class Outcomes:
    """What came of it: evidence by document and chunk, and documents (by id) of which some chunk was not even tried.

    ``waiting`` are chunks that are asked about by file. ``stopped`` says why no more were tried; empty where all were.
    """

    evidence: dict[str, dict[str, tuple[Evidence, ...]]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    untried: set[str] = field(default_factory=set)
    stopped: str = ""


async def extract_all(
    extractor: Extractor,
    chunks: Sequence[tuple[Document, Chunk]],
    report_read: Callable[[], None],
    tried_before: Collection[str] = (),
) -> Outcomes:
    """Have every chunk read, as many at once as the extractor takes.

    Where the run has to stop, chunks that are being read are read to the end: they are paid for.

    Parameters
    ----------
    extractor
        What reads them.
    chunks
        Each with its document.
    report_read
        Called after every chunk that was read or has failed.
    tried_before
        Documents (by id) of which chunks failed in an earlier run: that they fail again is no reason to stop, or what
        comes after them would never be reached.
    """
    run = _Run(extractor, chunks, report_read, tried_before)
    workers = [asyncio.create_task(run.work()) for _ in range(min(at_once(extractor), len(chunks)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return run.outcomes


class _Run:
    def __init__(
        self,
        extractor: Extractor,
        chunks: Sequence[tuple[Document, Chunk]],
        report_read: Callable[[], None],
        tried_before: Collection[str],
    ) -> None:
        self.outcomes = Outcomes()
        self._extractor = extractor
        self._left = iter(chunks)
        self._report_read = report_read
        self._tried_before = tried_before
        self._silent = 0
        self._useless: list[str] = []

    async def work(self) -> None:
        """Read one chunk after the other of those that nobody has taken yet."""
        for document, chunk in self._left:
            await asyncio.sleep(0)  # a place to be cancelled at
            if self.outcomes.stopped:
                self.outcomes.untried.add(document.id)
            else:
                await self._read(document, chunk)

    async def _read(self, document: Document, chunk: Chunk) -> None:
        try:
            extraction = await self._extractor.extract(document, chunk)
        except NoReply as problem:
            self._failed(document, chunk, problem)
        except ReplyAwaited as awaited:
            self._silent = 0
            self.outcomes.waiting.append(Waiting(document, chunk, awaited.requests))
            return
        except ModelUnavailable as problem:
            self.outcomes.untried.add(document.id)
            self._stop(str(problem))
            return
        else:
            self._keep(document, chunk, extraction)
        self._report_read()

    def _keep(self, document: Document, chunk: Chunk, extraction: Extraction) -> None:
        self._silent = 0
        self._useless.clear()
        self.outcomes.evidence.setdefault(document.id, {})[chunk.id] = extraction.evidence
        self.outcomes.problems.update(extraction.problems)

    def _failed(self, document: Document, chunk: Chunk, problem: NoReply) -> None:
        self.outcomes.failures.append(Failure(document, chunk, str(problem)))
        if problem.usage is None:
            self._silent += 1
        elif document.id not in self._tried_before:
            self._silent = 0
            self._useless.append(document.id)
        useless = len(self._useless) >= _IN_A_ROW and len(set(self._useless)) >= _DOCUMENTS
        if useless or self._silent >= _IN_A_ROW:
            self._stop(f"{_IN_A_ROW} chunks in a row could not be read, the last because {problem}")

    def _stop(self, why: str) -> None:
        """The first reason is the one to act upon: others follow from it."""
        self.outcomes.stopped = self.outcomes.stopped or why
