"""What was done is written down as soon as it is: a file of JSON lines, from which a run that was killed goes on.

The first line says what everything in it was made with. A text that was retrieved is written once, by the line that
first refers to it. A line that was cut off is dropped, and its question asked again.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from polyadic.errors import StoreError
from polyadic.evaluation.record import AnswerRecord, QuestionRecord, QuestionTimes, RetrievedRecord
from polyadic.model.types import Usage

FILE_NAME = "records.jsonl"
_SECONDS_TO_SYNC = 1.0
_VERSION = 1


class RecordJournal:
    """The records of one evaluation; to be used in a ``with`` statement, by one process at a time.

    Parameters
    ----------
    file
        Where they are kept; made if it is not there.
    made_with
        What decides what records come out, in parts by name; records made with anything else are not mixed in.

    Raises
    ------
    StoreError
        The file holds records that were made with something else, or is no such file.
    """

    def __init__(self, file: Path, made_with: Mapping[str, str]) -> None:
        self._file = file
        self._texts: dict[str, RetrievedRecord] = {}
        self._records: dict[tuple[str, str], QuestionRecord] = {}
        whole = self._read(made_with) if file.exists() else 0
        self._written: TextIO = file.open("a", encoding="utf-8", errors="surrogatepass")
        self._synced = time.monotonic()
        self._written.truncate(whole)
        if not whole:
            self._append({"version": _VERSION, "made_with": dict(made_with)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sync()
        self._written.close()

    def get(self, question: str, method: str) -> QuestionRecord | None:
        """What a method made of a question (by id), if that is known."""
        return self._records.get((question, method))

    def add(self, record: QuestionRecord) -> None:
        """Write a record down; it survives the end of this process at once, and that of the machine a second later."""
        new = {found.key: found for found in record.found if found.key not in self._texts}
        self._append(_as_line(record, new))
        self._texts |= new
        self._records[record.question, record.method] = record
        if time.monotonic() - self._synced > _SECONDS_TO_SYNC:
            self._sync()

    def _append(self, line: Mapping[str, Any]) -> None:
        self._written.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._written.flush()

    def _sync(self) -> None:
        os.fsync(self._written.fileno())
        self._synced = time.monotonic()

    def _read(self, made_with: Mapping[str, str]) -> int:
        """Take up the records that are there; returns how many bytes of the file are whole lines."""
        lines = _whole_lines(self._file)
        head = next(lines, None)
        # Without a whole first line it was cut off at once, or something else lies where records should.
        whole, said = head or (0, {})
        if head is None and b"\n" not in self._file.read_bytes():
            return 0
        if said.get("version") != _VERSION or not isinstance(said.get("made_with"), dict):
            raise StoreError(f"{self._file} holds no records of an evaluation", "choose another --out")
        self._check(said["made_with"], made_with)
        for end, line in lines:
            self._texts |= {
                key: RetrievedRecord(kind, text, n, tuple(at)) for key, (kind, text, n, at) in line["new"].items()
            }
            record = _from_line(line, self._texts)
            self._records[record.question, record.method] = record
            whole = end
        return whole

    def _check(self, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        other = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        if other:
            what = f"{self._file} holds results made with another {', another '.join(other)}"
            raise StoreError(what, "choose another --out, or remove that file to begin anew")


def _whole_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines that can be read up to the first that cannot, each with the byte at which it ends."""
    end = 0
    with file.open("rb") as lines:
        for line in lines:
            try:
                said = json.loads(line)
            except ValueError:
                return
            if not line.endswith(b"\n") or not isinstance(said, dict):
                return
            end += len(line)
            yield end, said


def _as_line(record: QuestionRecord, new: Mapping[str, RetrievedRecord]) -> dict[str, Any]:
    return {
        "question": record.question,
        "method": record.method,
        "found": [found.key for found in record.found],
        "omitted": record.omitted,
        "said": asdict(record.said) if record.said else None,
        "seconds": asdict(record.times),
        "retrieval_usage": asdict(record.retrieval_usage),
        "answering_usage": asdict(record.answering_usage),
        "new": {key: (found.kind, found.text, found.tokens, found.passages) for key, found in new.items()},
    }


def _from_line(line: Mapping[str, Any], texts: Mapping[str, RetrievedRecord]) -> QuestionRecord:
    return QuestionRecord(
        line["question"],
        line["method"],
        tuple(texts[key] for key in line["found"]),
        line["omitted"],
        AnswerRecord(**line["said"]) if line["said"] else None,
        QuestionTimes(**line["seconds"]),
        Usage(**line["retrieval_usage"]),
        Usage(**line["answering_usage"]),
    )
