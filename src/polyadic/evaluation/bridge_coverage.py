"""How much of the local and of the global knowledge of a question its bridge contains (HiRAG, Table 7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from polyadic.evaluation.measures.token_overlap import covered, token_set
from polyadic.query.api import QueryMixin


@dataclass(frozen=True, slots=True)
class BridgeCoverage:
    """Mean shares of distinct tokens, in [0, 1]; None if no question retrieves such a part.

    Attributes
    ----------
    questions
        Number of questions.
    local_in_bridge, global_in_bridge
        Share of the tokens of the local and of the global knowledge that the bridge of the question contains.
    local_in_other_bridge, global_in_other_bridge
        The same with the bridge of the next question, as a baseline; None for a single question.
    """

    questions: int
    local_in_bridge: float | None
    global_in_bridge: float | None
    local_in_other_bridge: float | None
    global_in_other_bridge: float | None


def bridge_coverage(
    query_api: QueryMixin,
    questions: Sequence[str],
    context_tokens: int | None = None,
    report_progress: Callable[[int], None] = lambda done: None,
) -> BridgeCoverage:
    """Retrieve each part alone for each question, and compare their tokens.

    Questions for which a part retrieves nothing are left out of its means.

    Parameters
    ----------
    query_api
        Workspace with a hierarchy.
    questions
        Questions; at least one.
    context_tokens
        Token budget of each part; by default as configured.
    report_progress
        Called with the number of questions that are done.
    """
    tokens: dict[str, list[frozenset[int]]] = {"local": [], "global": [], "bridge": []}
    for done, question in enumerate(questions, 1):
        for part, sets in tokens.items():
            found = query_api.retrieve(question, part, context_tokens)
            sets.append(token_set("\n".join(item.text for item in found.items)))
        report_progress(done)
    bridges = tokens["bridge"]
    others = [*bridges[1:], bridges[0]] if len(bridges) > 1 else []
    return BridgeCoverage(
        len(questions),
        _mean_share(tokens["local"], bridges),
        _mean_share(tokens["global"], bridges),
        _mean_share(tokens["local"], others),
        _mean_share(tokens["global"], others),
    )


def _mean_share(parts: Sequence[frozenset[int]], bridges: Sequence[frozenset[int]]) -> float | None:
    """
    >>> _mean_share([frozenset({1, 2}), frozenset()], [frozenset({2}), frozenset({3})])
    0.5
    """
    pairs = zip(parts, bridges, strict=False)
    shares = [share / 100 for part, bridge in pairs if (share := covered(part, bridge)) is not None]
    return fmean(shares) if shares else None
