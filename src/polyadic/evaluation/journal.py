"""Journal of evaluation records: an append-only JSON lines file from which an interrupted run resumes.

The first line lists the settings that the records depend on. Each retrieved text is stored once, in the line that first
refers to it. An incomplete last line is dropped, and its question is asked again.
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
from polyadic.evaluation.question_record import AnswerRecord, QuestionRecord, QuestionTimes, RetrievedRecord
from polyadic.model.types import Usage

FILE_NAME = "records.jsonl"
_SECONDS_TO_SYNC = 1.0
_VERSION = 2


class RecordJournal:
    """Records of one evaluation; a context manager, for one process at a time.

    Parameters
    ----------
    file
        The journal; created if necessary.
    made_with
        Digests of everything that records depend on, by name; all records of a journal share them.

    Raises
    ------
    StoreError
        The file holds records that depend on other settings, or is not a journal.
    """

    def __init__(self, file: Path, made_with: Mapping[str, str]) -> None:
        self._file = file
        self._texts: dict[str, RetrievedRecord] = {}
        self._records: dict[tuple[str, str], QuestionRecord] = {}
        end_of_records = self._read(made_with) if file.exists() else 0
        self._output: TextIO = file.open("a", encoding="utf-8", errors="surrogatepass")
        self._synced = time.monotonic()
        self._output.truncate(end_of_records)
        if not end_of_records:
            self._append({"version": _VERSION, "made_with": dict(made_with)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sync()
        self._output.close()

    def get(self, question: str, method: str) -> QuestionRecord | None:
        """Return the record of a question (by id) with a method, or None."""
        return self._records.get((question, method))

    def add(self, record: QuestionRecord) -> None:
        """Append a record; it survives a process crash at once, and a machine crash after about a second."""
        new = {item.key: item for item in record.found if item.key not in self._texts}
        self._append(_as_line(record, new))
        self._texts |= new
        self._records[record.question, record.method] = record
        if time.monotonic() - self._synced > _SECONDS_TO_SYNC:
            self._sync()

    def drop_outdated(self, hierarchies: Mapping[str, str]) -> int:
        """Drop the records that were made with another hierarchy, so that their questions are asked again.

        Parameters
        ----------
        hierarchies
            Fingerprint of the current hierarchy by method; methods without one are not checked.

        Returns
        -------
        int
            Number of dropped records.
        """
        outdated = [
            key
            for key, record in self._records.items()
            if record.hierarchy and hierarchies.get(record.method, record.hierarchy) != record.hierarchy
        ]
        for key in outdated:
            del self._records[key]
        return len(outdated)

    def _append(self, line: Mapping[str, Any]) -> None:
        self._output.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._output.flush()

    def _sync(self) -> None:
        os.fsync(self._output.fileno())
        self._synced = time.monotonic()

    def _read(self, made_with: Mapping[str, str]) -> int:
        """Load the existing records; returns the length of the complete lines in bytes."""
        lines = _complete_lines(self._file)
        first_line = next(lines, None)
        # Without a complete first line, the journal was truncated at once or the file is something else.
        end_of_records, header = first_line or (0, {})
        if first_line is None and b"\n" not in self._file.read_bytes():
            return 0
        if header.get("version") != _VERSION or not isinstance(header.get("made_with"), dict):
            raise StoreError(f"{self._file} holds no records of an evaluation", "choose another --out")
        self._check(header["made_with"], made_with)
        for end, line in lines:
            self._texts |= {
                key: RetrievedRecord(kind, text, n, tuple(at)) for key, (kind, text, n, at) in line["new"].items()
            }
            record = _from_line(line, self._texts)
            self._records[record.question, record.method] = record
            end_of_records = end
        return end_of_records

    def _check(self, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        if changed:
            what = f"{self._file} holds results made with another {', another '.join(changed)}"
            raise StoreError(what, "choose another --out, or delete that file to start over")


def _complete_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Iterate over the lines before the first invalid one, each with its end offset in bytes."""
    end = 0
    with file.open("rb") as lines:
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                return
            if not line.endswith(b"\n") or not isinstance(row, dict):
                return
            end += len(line)
            yield end, row


def _as_line(record: QuestionRecord, new: Mapping[str, RetrievedRecord]) -> dict[str, Any]:
    return {
        "question": record.question,
        "method": record.method,
        "found": [item.key for item in record.found],
        "omitted": record.omitted,
        "answer": asdict(record.answer) if record.answer else None,
        "seconds": asdict(record.times),
        "retrieval_usage": asdict(record.retrieval_usage),
        "answering_usage": asdict(record.answering_usage),
        "hierarchy": record.hierarchy,
        "new": {key: (item.kind, item.text, item.tokens, item.passages) for key, item in new.items()},
    }


def _from_line(line: Mapping[str, Any], texts: Mapping[str, RetrievedRecord]) -> QuestionRecord:
    return QuestionRecord(
        line["question"],
        line["method"],
        tuple(texts[key] for key in line["found"]),
        line["omitted"],
        AnswerRecord(**line["answer"]) if line["answer"] else None,
        QuestionTimes(**line["seconds"]),
        Usage(**line["retrieval_usage"]),
        Usage(**line["answering_usage"]),
        line["hierarchy"],
    )
