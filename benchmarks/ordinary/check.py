"""Check that every answer occurs in the documents: ``python -m benchmarks.ordinary.check FOLDER``.

FOLDER is that of ``benchmarks.ordinary.documents``. A gold expression that matches nothing belongs to another version
of the document, or the reader loses the sentence; one that matches in many places does not tell an answer from chance.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.ordinary.documents import DOCUMENTS
from benchmarks.ordinary.questions import OWN, OrdinaryQuestion, folded, load_questions
from polyadic.config import ReadingSettings
from polyadic.loaders.loader import READERS, read_file
from polyadic.model.types import Document

MOST_PLACES = 20


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.ordinary.check FOLDER")
    folder = Path(sys.argv[1]) / DOCUMENTS
    questions = load_questions(OWN)
    problems = list(problems_of(questions, texts_of(folder)))
    for problem in problems:
        print(problem)
    answerable = sum(question.is_answerable for question in questions)
    print(
        f"{answerable - len(problems)} of {answerable} answers stand where they should, of {len(questions)} questions"
    )
    sys.exit(1 if problems else 0)


def texts_of(folder: Path) -> Mapping[str, str]:
    """Return the folded text of each kind of document, as Polyadic reads it; as it stands where it has no reader."""
    return {kind.name: "\n".join(_texts(kind)) for kind in sorted(folder.iterdir())}


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix in READERS:
            read = [one.text for one in read_file(path, ReadingSettings()) if isinstance(one, Document)]
        else:
            read = []
        for text in read or [path.read_text(encoding="utf-8", errors="replace")]:
            yield folded(text)


def problems_of(questions: Iterable[OrdinaryQuestion], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each answer that is missing in its kind of document, or found in too many places of any kind."""
    for question in questions:
        if not question.is_answerable:
            continue
        if not question.pattern.search(texts.get(question.doctype, "")):
            yield f"{question.id}: {question.gold!r} is not in {question.doctype}"
            continue
        places = sum(len(question.pattern.findall(text)) for text in texts.values())
        if places > MOST_PLACES:
            yield f"{question.id}: {question.gold!r} is in {places} places"


if __name__ == "__main__":
    main()
