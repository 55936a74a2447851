"""Registry of measures by name."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from polyadic.embeddings.embedder import Embedder
from polyadic.errors import SettingsError
from polyadic.evaluation.measures.exact_match_and_f1 import F1, ExactMatch
from polyadic.evaluation.measures.generation_evaluation import GenerationEvaluation
from polyadic.evaluation.measures.measure import EmbeddingMeasure, JudgedMeasure, Measure
from polyadic.evaluation.measures.ranking_measures import NDCG, AllGold, PassageRecall
from polyadic.evaluation.measures.semantic_similarity import SemanticSimilarity
from polyadic.evaluation.measures.token_overlap import AnswerRelevance, ContextEntityRecall, ContextRecall
from polyadic.llm.prompts.library import PromptLibrary

AnyMeasure = Measure | EmbeddingMeasure | JudgedMeasure


@dataclass(frozen=True, slots=True)
class MeasureResources:
    """Resources of measures; ``embedder`` is called only if a measure needs it, since it may be missing."""

    embedder: Callable[[], Embedder]
    prompts: PromptLibrary


_PLAIN: dict[str, Callable[[], Measure]] = {
    measure.name: measure for measure in (F1, ExactMatch, ContextRecall, ContextEntityRecall, AnswerRelevance)
}
_WITH_RESOURCES: dict[str, Callable[[MeasureResources], AnyMeasure]] = {
    SemanticSimilarity.name: lambda tools: SemanticSimilarity(tools.embedder()),
    GenerationEvaluation.name: lambda tools: GenerationEvaluation(tools.prompts),
}
_AT_K: dict[str, Callable[[int], Measure]] = {"recall": PassageRecall, "all-gold": AllGold, "ndcg": NDCG}

_NAME_AT_K = re.compile(r"(?P<name>[a-z-]+)@(?P<k>[1-9]\d{0,3})")

NAMES = (*_PLAIN, *_WITH_RESOURCES, *(f"{name}@K" for name in _AT_K))
"""Names of all measures; K is 1 to 9999. Win rates compare two sets of answers and are not included."""


def measure_named(name: str, tools: MeasureResources) -> AnyMeasure:
    """Return the measure with a name, ignoring case.

    Raises
    ------
    SettingsError
        The name is unknown.
    WeightsMissing
        The measure needs an embedder whose weights have not been downloaded.
    """
    key = name.strip().lower()
    match = _NAME_AT_K.fullmatch(key)
    if match and match["name"] in _AT_K:
        return _AT_K[match["name"]](int(match["k"]))
    if key in _PLAIN:
        return _PLAIN[key]()
    if key in _WITH_RESOURCES:
        return _WITH_RESOURCES[key](tools)
    raise SettingsError(f'there is no measure "{name}"', f"known: {', '.join(NAMES)}")
