"""The table of coverage, citation precision and cost: when issue 23 was filed, and now."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.data import data_folder
from benchmarks.recorded_answers import CONTEXT_TOKENS, AnswerRequest, CitedStatement
from benchmarks.recorded_contexts import RECORDED
from benchmarks.recorded_questions import UNANSWERABLE
from polyadic.config.presets import PRESETS
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens

_PRICED = PRESETS["openai"]["model"]
_EXTRACTION, _HIERARCHY = ("extract",), ("summarise", "report")
# As counted then, by statement: the quoted sentence was right.
_FILED_ONCE, _FILED_AGAIN = (198, 204), (41, 93)
_FILED_ARTICLES = "9–10"
_INTRODUCTION = """
Contexts of {tokens:,} tokens. *Earlier*: the first recorded requests and replies, in `POLYADIC_DATA`, counted by hand:
a citation was right if the sentence quoted for the statement was. *Now*: the requests of this version, with the
replies in `benchmarks/spaceflight_replies.jsonl`; citations are counted by quotation. Sessions of a large language
model of a 2026 assistant wrote these replies from the requests alone, one session for each method; other sessions
listed for each statement the sentences in its context that support it, without seeing what is quoted. Pieces are
counted in what the model sees. Money is at the price of {name} in the preset `openai` ({prompt_price} US dollars per
million tokens sent, {completion_price} received). The replies are of another model, so it only serves to compare.
"""


@dataclass(frozen=True, slots=True)
class Measurements:
    """What the table is made from.

    Parameters
    ----------
    filed, now
        The requests for answers.
    extraction, hierarchy
        The cost of today's requests for facts, and for summaries and reports.
    articles, of_articles
        Articles of which the overview of the whole corpus shows two items or more, and all articles.
    """

    filed: Sequence[AnswerRequest]
    now: Sequence[AnswerRequest]
    extraction: Usage
    hierarchy: Usage
    articles: int
    of_articles: int


def summary_table(measured: Measurements) -> Iterator[str]:
    yield from _INTRODUCTION.format(tokens=CONTEXT_TOKENS, **_PRICED).splitlines()
    yield ""
    yield "| | earlier | now |"
    yield "|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in _rows(measured))


def _rows(measured: Measurements) -> Iterator[tuple[str, str, str]]:
    needing = len({one.asked.id for one in measured.filed if one.asked.patterns})
    for method in dict.fromkeys(one.method for one in measured.now):
        filed, now = (
            [one for one in requests if one.method == method and one.asked.patterns]
            for requests in (measured.filed, measured.now)
        )
        yield f"coverage: pieces shown by `{method}`, of {needing}", _coverage(filed), _coverage(now)
    found = f"{measured.articles} of {measured.of_articles}"
    yield "coverage: articles shown for “What are the main themes?”", f"{_FILED_ARTICLES} of 16", found
    yield from _citation_rows([statement for one in measured.now for statement in one.statements])
    yield from _declined_rows(measured)
    yield from _cost_rows(measured)


def _coverage(requests: Sequence[AnswerRequest]) -> str:
    return f"{sum(one.coverage for one in requests):.2f}" if requests else "–"


def _citation_rows(statements: Sequence[CitedStatement]) -> Iterator[tuple[str, str, str]]:
    for name, reused, filed in (("once", False, _FILED_ONCE), ("again", True, _FILED_AGAIN)):
        right = [quotation for one in statements if one.reused is reused for quotation in one.right]
        yield f"citation precision, markers used {name}", _share(*filed), _share(sum(right), len(right))
    recalled = sum(any(one.right) for one in statements)
    then = _share(_FILED_ONCE[0] + _FILED_AGAIN[0], _FILED_ONCE[1] + _FILED_AGAIN[1])
    yield "statements with a right quotation", then, _share(recalled, len(statements))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})"


def _declined_rows(measured: Measurements) -> Iterator[tuple[str, str, str]]:
    for name, is_unanswerable in (("without an answer", True), ("with an answer", False)):
        cells = [
            [one for one in requests if one.reply and (one.asked.kind == UNANSWERABLE) is is_unanswerable]
            for requests in (measured.filed, measured.now)
        ]
        declined = [f"{sum(one.is_declined for one in requests)} of {len(requests)}" for requests in cells]
        yield f"questions {name}: declined", declined[0], declined[1]


def _cost_rows(measured: Measurements) -> Iterator[tuple[str, str, str]]:
    yield "cost of extraction", _cost(_recorded_usage(_EXTRACTION)), _cost(measured.extraction)
    yield "cost of summaries and reports", _cost(_recorded_usage(_HIERARCHY)), _cost(measured.hierarchy)
    for method in dict.fromkeys(one.method for one in measured.now):
        filed, now = ([one for one in requests if one.method == method] for requests in (measured.filed, measured.now))
        yield f"cost of a question by `{method}`", _answer_cost(filed), _answer_cost(now)


def _recorded_usage(purposes: Sequence[str]) -> Usage:
    lines = (data_folder() / RECORDED / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["purpose"] in purposes]
    sent = [message["content"] for row in rows for message in row["messages"]]
    return Usage(len(rows), sum(count_tokens(sent)), sum(count_tokens([row["reply"] for row in rows])))


def _cost(usage: Usage) -> str:
    tokens = f"{usage.prompt_tokens:,} tokens sent, {usage.completion_tokens:,} received"
    return f"{usage.calls} calls, {tokens}, ${_money(usage.prompt_tokens, usage.completion_tokens):.3f}"


def _answer_cost(requests: Sequence[AnswerRequest]) -> str:
    if not requests:
        return "–"
    calls, sent, received = (
        sum(getattr(one, name) for one in requests) / len(requests)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    )
    replies = f"{received:.0f} received" if received else "no reply"
    return (
        f"{calls:.0f} call, {sent:,.0f} tokens sent, {replies}, ${100 * _money(sent, received):.3f} for 100 questions"
    )


def _money(sent: float, received: float) -> float:
    return (sent * float(str(_PRICED["prompt_price"])) + received * float(str(_PRICED["completion_price"]))) / 1e6
