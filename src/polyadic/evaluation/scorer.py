"""Score outcomes with the measures of a plan."""

from collections.abc import Sequence

from polyadic.errors import SettingsError
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.bootstrap import Interval, interval
from polyadic.evaluation.measures import ranking_measures
from polyadic.evaluation.measures.judge import replies
from polyadic.evaluation.measures.measure import JudgedMeasure
from polyadic.evaluation.measures.registry import MeasureResources, measure_named
from polyadic.evaluation.measures.win_rate import PairVerdict, WinRate, compare, pairs, shares
from polyadic.evaluation.plan import WIN_RATE, EvalPlan
from polyadic.evaluation.results import HeadToHead
from polyadic.evaluation.score_table import JudgeModel, Outcomes, ScoreTable, scored
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.loading import load_language_model
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.workspace import Workspace


class Scorer:
    """The measures of a plan, with the judge that some of them need.

    Parameters
    ----------
    plan
        Evaluation plan.
    kb
        Workspace with the settings, the embedder and the response cache.
    by_file
        Sends judge requests by batch files, if given.

    Raises
    ------
    SettingsError
        A measure is unknown, or needs something that the plan or the settings do not provide.
    """

    def __init__(self, plan: EvalPlan, kb: Workspace, by_file: EvaluationBatch | None = None) -> None:
        tools = MeasureResources(lambda: kb.embedder, PromptLibrary(kb.folder))
        self._compares = WIN_RATE in plan.measures
        self._measures = [measure_named(name, tools) for name in plan.measures if name != WIN_RATE]
        if any("@" in measure.name for measure in self._measures):
            # Fail now rather than after all questions if ir_measures is not installed.
            ranking_measures.named("R@1")
        self._kb = kb
        self._by_file = by_file
        self._seed = plan.seed
        self._settings = kb.settings.model.with_name("judging", plan.judge)
        judged = [m.name for m in self._measures if isinstance(m, JudgedMeasure)] + [WIN_RATE] * self._compares
        if judged and not self._settings.of_role("judging").name:
            what = f"the measure {judged[0]} needs a language model as judge, and none is configured"
            raise SettingsError(what, "configure one with polyadic init --preset, or omit the measure")
        if judged and plan.answers == "none":
            raise SettingsError(f"the measure {judged[0]} judges answers", "use --answers model or quotes")

    async def measured(self, outcomes: Outcomes, plan: EvalPlan) -> tuple[ScoreTable, tuple[HeadToHead, ...]]:
        """Score with all measures; raises ModelUnavailable if the judge or the embedder is unavailable."""
        loaded = list[JudgeModel]()

        def judge() -> JudgeModel:
            if not loaded:
                loaded.append(self._judge())
            return loaded[0]

        try:
            scores = await scored(outcomes, self._measures, judge, self._seed)
            comparisons = await self._compare_methods(outcomes, plan, judge()) if self._compares else ()
        finally:
            for judge_model in loaded:
                await judge_model.model.model.close()
        return scores, comparisons

    async def unjudged(self, outcomes: Outcomes) -> ScoreTable:
        """Score with the measures that need no judge."""
        measures = [measure for measure in self._measures if not isinstance(measure, JudgedMeasure)]
        return await scored(outcomes, measures, self._judge, self._seed)

    async def _compare_methods(self, outcomes: Outcomes, plan: EvalPlan, judge: JudgeModel) -> tuple[HeadToHead, ...]:
        """Compare each method with the first one, on the questions that both answered."""
        measure = WinRate(PromptLibrary(self._kb.folder))
        comparisons = []
        for method, row in list(zip(plan.names, outcomes, strict=True))[1:]:
            answered_by_both = [(one, first) for one, first in zip(row, outcomes[0], strict=True) if one and first]
            answer_pairs = pairs([one for one, _ in answered_by_both], [first for _, first in answered_by_both])
            if answer_pairs:
                requests = [request for pair in answer_pairs for request in measure.requests(pair)]
                judge_replies = await replies(judge.model, requests, measure.is_readable, judge.at_once)
                verdicts = [
                    verdict
                    for n, pair in enumerate(answer_pairs)
                    for verdict in measure.read(pair, judge_replies[2 * n : 2 * n + 2])
                ]
                comparisons.append(
                    HeadToHead(
                        method, plan.names[0], compare(answer_pairs, verdicts), _overall_rate(verdicts, plan.seed)
                    )
                )
        return tuple(comparisons)

    def _judge(self) -> JudgeModel:
        at_once = self._settings.of_role("judging").at_once
        if self._by_file is not None:
            return JudgeModel(self._by_file.judge(), at_once)
        model = load_language_model(self._settings, "judging")
        if model is None:
            raise SettingsError("no language model is configured as judge", "set name under [model]")
        model.check()
        return JudgeModel(CachedModel(model, StoreResponseCache(self._kb.store())), at_once)


def _overall_rate(verdicts: Sequence[PairVerdict], seed: int) -> Interval | None:
    won = shares(verdicts, "overall")
    return interval(won, seed) if won else None
