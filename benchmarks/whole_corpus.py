"""Measure how much of a corpus an overview covers: ``python -m benchmarks.whole_corpus [FOLDER]``.

Facts of ``examples/spaceflight`` are the recorded ones of a language model, the hierarchy is extractive, so no model is
called. An article is covered if at least two retrieved items cite it. FOLDER keeps the workspace for the next run.
"""

from collections import Counter
from pathlib import Path

from benchmarks.recorded_contexts import EXAMPLE
from benchmarks.recorded_workspace import SPACEFLIGHT_EXTRACTIONS, extracted_workspace
from benchmarks.report_sections import given_folder
from polyadic.model.types import Knowledge

QUESTION = "What are the main themes of these documents?"
METHODS = ("auto", "hierarchy")
TOKENS = 4000
_ENOUGH = 2


def main() -> None:
    articles = sorted(path.name for path in EXAMPLE.iterdir() if path.suffix in {".md", ".txt"})
    with (
        given_folder() as folder,
        extracted_workspace(SPACEFLIGHT_EXTRACTIONS, EXAMPLE, folder / "spaceflight-lists") as workspace,
    ):
        workspace.hierarchy.build(by="extractive")
        for method in METHODS:
            items = items_of_articles(workspace.retrieve(QUESTION, method, TOKENS))
            covered = [article for article in articles if items[article] >= _ENOUGH]
            missing = ", ".join(article for article in articles if article not in covered)
            print(f"{method}: {len(covered)} of {len(articles)} articles; not covered: {missing or 'none'}")


def items_of_articles(knowledge: Knowledge) -> Counter[str]:
    """Count the items whose first source span lies in each article, by file name."""
    return Counter(Path(item.places[0].source).name for item in knowledge.items if item.places)


if __name__ == "__main__":
    main()
