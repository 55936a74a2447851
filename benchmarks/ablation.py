"""Ablation study of ``walk`` for docs/quality-walk.md: ``python -m benchmarks.ablation [FOLDER]``.

It measures the contribution of each component and the sensitivity to each parameter. Components are disabled by
patching their modules, since the product has no switches for them. FOLDER keeps the filled workspaces.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import EVERYTHING, Corpus, Telling, corpora
from benchmarks.data import SETS
from benchmarks.holdout_log import note_look
from benchmarks.report_sections import DOCS, given_folder, rewrite
from benchmarks.robustness import differences, signed
from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import WalkSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.model.types import Item
from polyadic.retrieval import (
    alias_expansion,
    bridge_entities,
    context_order,
    edge_weights,
    seed_distribution,
    walk_scores,
)
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.subgraph import NO_LINKS
from polyadic.storage.protocol import Reader

PAGE = DOCS / "quality-walk.md"
HEADING = "## What each part of `walk` brings"
LITTLE_ROOM = 500
RECALL, ALL_GOLD, COVERED = "recall@5", "all gold@8", f"covered within {LITTLE_ROOM} tokens"
_ABOUT = f"""
Made by `python -m benchmarks.ablation`: `walk` asked again without one of its parts, and with one of its numbers
changed. Each cell is the difference to the whole method, question by question, with its 95 % paired bootstrap interval;
`=` where no question fares differently. **Bold** is what is not within noise: the interval leaves out 0. With about
100 questions a set, a part that decides fewer than four of them is not distinguishable from chance, and of so many
cells about one in twenty would be bold by chance alone. *{COVERED.capitalize()}* is the share of gold passages of which
something is among the first {LITTLE_ROOM} tokens.

The parts and their numbers were chosen on the even-numbered questions of both sets. The odd-numbered ones are not
unseen: [looks.md](../benchmarks/looks.md) lists the looks at them.
"""
_PARTS = """
### Without a part: {measure}{half}
"""
_UNDECIDED = """
Within noise in every set, by recall@5, by all gold@8 and by what little room covers: {parts}.
"""
_NUMBERS = """
### With another number: {measure}

Damping is a setting; the others are named after their modules in `polyadic.retrieval`.
"""


@dataclass(frozen=True, slots=True)
class Patch:
    """A replacement for an attribute of a module."""

    module: ModuleType
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Variation:
    """A variant of the method, with patches or other settings."""

    name: str
    patches: tuple[Patch, ...] = ()
    settings: WalkSettings = field(default_factory=WalkSettings)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        with ExitStack() as stack:
            for replacement in self.patches:
                stack.enter_context(patch.object(replacement.module, replacement.name, replacement.value))
            yield


def _without(name: str, module: ModuleType, *constants: str) -> Variation:
    return Variation(name, tuple(Patch(module, constant, 0.0) for constant in constants))


def _with_values(module: ModuleType, constant: str, *values: float) -> Iterator[Variation]:
    current, module_name = getattr(module, constant), module.__name__.rpartition(".")[2]
    for value in values:
        yield Variation(f"`{module_name}.{constant}` {value:g} for {current:g}", (Patch(module, constant, value),))


def _half_and_double(module: ModuleType, *constants: str) -> Iterator[Variation]:
    for constant in constants:
        now = getattr(module, constant)
        yield from _with_values(module, constant, now * 0.5, now * 2)


_NO_ALIASES_IN_QUESTIONS = Patch(seed_distribution, "expand_aliases", lambda entities, reader: NO_LINKS)
_NO_ALIASES_IN_BRIDGES = Patch(bridge_entities, "expand_aliases", lambda entities, reader: NO_LINKS)
WHOLE = Variation("the whole method")
PARTS = (
    Variation("the second walk", settings=WalkSettings(second_walk=False)),
    _without("starting at what the question names", seed_distribution, "ANCHOR_WEIGHT"),
    _without("starting at the nearest facts", seed_distribution, "FACT_WEIGHT"),
    _without("- of these, first at those that hold the question's names", seed_distribution, "NAMING_WEIGHT"),
    _without("starting at the nearest passages", seed_distribution, "CHUNK_WEIGHT"),
    Variation("names that may be one", (_NO_ALIASES_IN_QUESTIONS, _NO_ALIASES_IN_BRIDGES)),
    Variation("- of these, with what the question names", (_NO_ALIASES_IN_QUESTIONS,)),
    Variation("- of these, rare last names", (Patch(alias_expansion, "_by_rare_name", lambda row, name, reader: []),)),
    Variation(
        "- of these, shorter forms of names",
        (Patch(alias_expansion, "_forms", lambda name, forms=alias_expansion._forms: islice(forms(name), 1)),),
    ),
    _without("whether the question or a bridge names a document", walk_scores, "NAMED_WEIGHT", "BRIDGE_WEIGHT"),
    _without("- of these, the question naming a document", walk_scores, "NAMED_WEIGHT"),
    _without("- of these, a bridge naming a document", walk_scores, "BRIDGE_WEIGHT"),
    _without("relevant facts conducting better", edge_weights, "RELEVANCE_WEIGHT"),
    _without(
        "likeness to what is asked of bridges, in ranking", walk_scores, "SECOND_FACT_WEIGHT", "SECOND_CHUNK_WEIGHT"
    ),
    Variation("facts before passages", (Patch(context_order, "FACTS_FIRST", 0),)),
)
NUMBERS = (
    Variation("damping 0.7 for 0.85", settings=WalkSettings(damping=0.7)),
    Variation("damping 0.95 for 0.85", settings=WalkSettings(damping=0.95)),
    *_with_values(seed_distribution, "SEED_FACTS", 1, 6),
    *_with_values(seed_distribution, "SEED_CHUNKS", 5, 20),
    *_half_and_double(seed_distribution, "ANCHOR_WEIGHT", "FACT_WEIGHT", "CHUNK_WEIGHT", "NAMING_WEIGHT"),
    *_with_values(seed_distribution, "SHARPNESS", 2, 8),
    *_with_values(bridge_entities, "MOST", 5, 20),
    *_half_and_double(walk_scores, "NAMED_WEIGHT", "BRIDGE_WEIGHT"),
)

Scores = Mapping[str, Sequence[float]]


class Remembering:
    """Embedder that caches vectors by text; implements what methods need."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, await self._embedder.embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])


def main() -> None:
    note_look("`benchmarks.ablation`")
    with given_folder() as folder:
        rewrite(PAGE, HEADING, section(folder))


def section(folder: Path) -> Iterator[str]:
    """Yield the lines of the section below its heading."""
    wanted = [(name, telling) for telling in (Telling.PLAIN, Telling.UNTITLED) for name in SETS]
    with corpora(wanted, folder) as opened_corpora:
        measured = [_by_variation(corpus) for corpus in opened_corpora]
        names = [corpus.name for corpus in opened_corpora]
    yield _ABOUT
    for measure in (RECALL, ALL_GOLD, COVERED):
        yield _PARTS.format(measure=measure, half="")
        yield from _table(PARTS, names, measured, measure)
    yield _PARTS.format(measure=RECALL, half=", odd half")
    yield from _table(PARTS, names, measured, RECALL, odd_half=True)
    yield _UNDECIDED.format(parts="; ".join(_undecided(PARTS, measured)) or "none")
    for measure in (RECALL, ALL_GOLD):
        yield _NUMBERS.format(measure=measure)
        yield from _table(NUMBERS, names, measured, measure)


def _table(
    variations: Sequence[Variation],
    names: Sequence[str],
    measured: Sequence[Mapping[str, Scores]],
    measure: str,
    odd_half: bool = False,
) -> Iterator[str]:
    half = slice(1, None, 2) if odd_half else slice(None)
    yield f"| | {' | '.join(names)} |\n|---|{'---|' * len(names)}"
    baseline = [scores[WHOLE.name][measure][half] for scores in measured]
    yield f"| {WHOLE.name} | {' | '.join(str(interval(scores)) for scores in baseline)} |"
    for variation in variations:
        gains = [
            differences(scores[variation.name][measure][half], baseline_scores)
            for scores, baseline_scores in zip(measured, baseline, strict=True)
        ]
        yield f"| {variation.name} | {' | '.join(map(_shown, gains))} |"


def _undecided(variations: Sequence[Variation], measured: Sequence[Mapping[str, Scores]]) -> Iterator[str]:
    """Yield the names of the variations without a significant difference."""
    for variation in variations:
        gains = (
            differences(scores[variation.name][measure], scores[WHOLE.name][measure])
            for scores in measured
            for measure in (RECALL, ALL_GOLD, COVERED)
        )
        if all(map(_is_noise, gains)):
            yield variation.name.removeprefix("- of these, ")


def _is_noise(gains: Sequence[float]) -> bool:
    gain = interval(gains)
    return gain.low <= 0 <= gain.high


def _shown(gains: Sequence[float]) -> str:
    if not any(gains):
        return "="
    return signed(gains) if _is_noise(gains) else f"**{signed(gains)}**"


def _by_variation(corpus: Corpus) -> dict[str, Scores]:
    """Return the scores by variation name."""
    embedder = Remembering(corpus.workspace.embedder)
    scores_by_name = {}
    with corpus.workspace.store().read() as reader:
        for variation in (WHOLE, *PARTS, *NUMBERS):
            with variation.in_place():
                scores_by_name[variation.name] = _scores(corpus, Walk(variation.settings), reader, embedder)
    return scores_by_name


def _scores(corpus: Corpus, method: Walk, reader: Reader, embedder: Embedder) -> Scores:
    retrieved: list[Sequence[Item]] = [
        run_coroutine(method.retrieve(question.text, reader, embedder, EVERYTHING)).items
        for question in corpus.questions
    ]
    pairs = list(zip(corpus.questions, retrieved, strict=True))
    outcomes = [corpus.outcome(question, items) for question, items in pairs]
    recall, all_gold = PassageRecall(5), AllGold(8)
    return {
        RECALL: [recall.score(outcome) or 0.0 for outcome in outcomes],
        ALL_GOLD: [all_gold.score(outcome) or 0.0 for outcome in outcomes],
        COVERED: [corpus.covered(question, items, LITTLE_ROOM) for question, items in pairs],
    }


if __name__ == "__main__":
    main()
