"""Measures by the names that they are asked for by."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from polyadic.embeddings.embedder import Embedder
from polyadic.errors import SettingsError
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.answer_relevance import AnswerRelevance
from polyadic.evaluation.measures.context_entity_recall import ContextEntityRecall
from polyadic.evaluation.measures.context_recall import ContextRecall
from polyadic.evaluation.measures.exact_match import ExactMatch
from polyadic.evaluation.measures.f1 import F1
from polyadic.evaluation.measures.generation_evaluation import GenerationEvaluation
from polyadic.evaluation.measures.measure import EmbeddingMeasure, JudgedMeasure, Measure
from polyadic.evaluation.measures.ndcg import NDCG
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.evaluation.measures.semantic_similarity import SemanticSimilarity
from polyadic.llm.prompts.library import PromptLibrary

AnyMeasure = Measure | EmbeddingMeasure | JudgedMeasure


@dataclass(frozen=True, slots=True)
class MeasureResources:
    """What measures may need: called only for a measure that does, since an embedder may be missing."""

    embedder: Callable[[], Embedder]
    prompts: PromptLibrary


_PLAIN: dict[str, Callable[[], Measure]] = {
    measure.name: measure for measure in (F1, ExactMatch, ContextRecall, ContextEntityRecall, AnswerRelevance)
}
_WITH_TOOLS: dict[str, Callable[[MeasureResources], AnyMeasure]] = {
    SemanticSimilarity.name: lambda tools: SemanticSimilarity(tools.embedder()),
    GenerationEvaluation.name: lambda tools: GenerationEvaluation(tools.prompts),
}
_AT_K: dict[str, Callable[[int], Measure]] = {"recall": PassageRecall, "all-gold": AllGold, "ndcg": NDCG}

_CUT = re.compile(r"(?P<name>[a-z-]+)@(?P<k>[1-9]\d{0,3})")

NAMES = (*_PLAIN, *_WITH_TOOLS, *(f"{name}@K" for name in _AT_K))
"""All names; K is any number from 1 to 9999. Win rates compare two sets of answers and are not among them."""


def measure_named(name: str, tools: MeasureResources) -> AnyMeasure:
    """The measure of this name; upper and lower case are alike.

    Raises
    ------
    SettingsError
        There is none.
    WeightsMissing
        It needs an embedder whose weights are nowhere on this machine.
    """
    wanted = name.strip().lower()
    cut = _CUT.fullmatch(wanted)
    if cut and cut["name"] in _AT_K:
        return _AT_K[cut["name"]](int(cut["k"]))
    if wanted in _PLAIN:
        return _PLAIN[wanted]()
    if wanted in _WITH_TOOLS:
        return _WITH_TOOLS[wanted](tools)
    raise SettingsError(f'there is no measure "{name}"', f"known: {', '.join(NAMES)}")
