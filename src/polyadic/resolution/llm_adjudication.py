"""Ask a language model whether pairs of names refer to the same entity, many pairs per request."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import NoReply
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage
from polyadic.resolution.blocking import Pair
from polyadic.resolution.merge_candidates import CandidateEntity, CandidatePairs, MergeCandidate

SAME_ENTITY = "same-entity"
"""Purpose of the requests."""
PAIRS_A_REQUEST = 20
_MAX_LINE = 300
_MAX_REASON = 200
_REASONING = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_ANSWERS = {"true": True, "yes": True, "same": True, "false": False, "no": False, "different": False, "unsure": None}
_SCHEMA = ReplySchema(
    "decisions",
    {
        "type": "object",
        "properties": {
            "decisions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "pair": {"type": "integer"},
                        "same": {"type": "string", "enum": ["true", "false", "unsure"]},
                        "why": {"type": "string"},
                    },
                    "required": ["pair", "same", "why"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["decisions"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class AdjudicationVerdict:
    """Verdict of a model on a pair: True for the same entity, None if unsure; with its reason."""

    same: bool | None
    why: str


@dataclass(slots=True)
class LLMAdjudication:
    """Verdicts of a language model.

    Parameters
    ----------
    verdicts
        Verdicts by candidate identifier.
    unreadable
        Number of pairs without a readable verdict.
    usage
        Usage of the model.
    stopped
        Why not all pairs were sent to the model; empty if they were.
    pending
        Requests that wait for a batch file.
    """

    verdicts: dict[str, AdjudicationVerdict] = field(default_factory=dict)
    unreadable: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: str = ""
    pending: list[PendingRequest] = field(default_factory=list)


def pairs_to_judge(found: CandidatePairs, listed: Collection[Pair]) -> list[Pair]:
    """Return the uncertain pairs whose requests cover all listed ones.

    Requests are cut from the list of all uncertain pairs, so they do not depend on how many pairs are listed, and a
    longer list reuses the replies of a shorter one.
    """
    uncertain = found.uncertain()
    number = len(set(listed).intersection(uncertain))
    return uncertain[: -(-number // PAIRS_A_REQUEST) * PAIRS_A_REQUEST]


async def adjudicate(
    candidates: Sequence[MergeCandidate], model: CachedModel, prompts: PromptLibrary, at_once: int = 1
) -> LLMAdjudication:
    """Ask a model about candidate pairs, twenty per request.

    Parameters
    ----------
    candidates
        The pairs. The same pairs in the same order give the same requests, so their replies are cached.
    model
        Model with response cache and budget. If the budget is exhausted, verdicts so far are kept.
    prompts
        Prompts of the requests.
    at_once
        Maximum number of concurrent requests.
    """
    batches = [candidates[at : at + PAIRS_A_REQUEST] for at in range(0, len(candidates), PAIRS_A_REQUEST)]
    outcome, runner = LLMAdjudication(), BoundedRunner(at_once)

    async def ask(batch: Sequence[MergeCandidate]) -> None:
        request = ModelRequest(SAME_ENTITY, prompts.get("same_entity").messages(pairs=_format(batch)), _SCHEMA)
        try:
            reply = await model.complete(request, lambda reply: bool(_verdicts(reply.text, len(batch))))
        except ReplyPending as waiting:
            outcome.pending += waiting.requests
        except NoReply:
            outcome.unreadable += len(batch)
        else:
            _record(outcome, batch, reply)

    await runner.map(ask, batches)
    outcome.stopped, outcome.usage = runner.stopped, model.spent
    return outcome


def has_verdicts(reply: ModelReply) -> bool:
    """Return whether a reply has a readable verdict about any pair."""
    return bool(_verdicts(reply.text, PAIRS_A_REQUEST))


def _record(outcome: LLMAdjudication, batch: Sequence[MergeCandidate], reply: ModelReply) -> None:
    found = _verdicts(reply.text, len(batch))
    outcome.verdicts |= {batch[number - 1].id: verdict for number, verdict in found.items()}
    outcome.unreadable += len(batch) - len(found)


def _format(batch: Sequence[MergeCandidate]) -> str:
    return "\n\n".join(
        f"Pair {number}\n{_format_entity('A', candidate.one)}\n{_format_entity('B', candidate.other)}"
        for number, candidate in enumerate(batch, start=1)
    )


def _format_entity(letter: str, about: CandidateEntity) -> str:
    """Describe one entity; every line has our prefix, so that text of a document cannot imitate another pair."""
    known = {"type": about.type, "description": about.description, "statement": about.fact}
    lines = [f"  {what}: {_line(text)}" for what, text in known.items() if text]
    return "\n".join([f"{letter}: {_line(about.name)}", *lines])


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_LINE else f"{flat[:_MAX_LINE]}…"


def _verdicts(reply: str, pairs: int) -> dict[int, AdjudicationVerdict]:
    """Parse verdicts by pair number; unreadable and contradictory ones are dropped.

    >>> _verdicts('<think>{}</think>[{"pair": "1", "same": true}, {"pair": 2, "same": "perhaps"}]', 2)
    {1: AdjudicationVerdict(same=True, why='')}
    """
    # Imported here, because it is needed only for replies of models.
    from json_repair import repair_json

    read = repair_json(_REASONING.sub("", reply), return_objects=True)
    listed = read.get("decisions") if isinstance(read, dict) else read
    found: dict[int, AdjudicationVerdict] = {}
    contradicted = set()
    for entry in listed if isinstance(listed, list) else ():
        number, verdict = _entry(entry) if isinstance(entry, Mapping) else (0, None)
        if verdict is None or not 1 <= number <= pairs:
            continue
        if found.setdefault(number, verdict).same != verdict.same:
            contradicted.add(number)
    return {number: verdict for number, verdict in found.items() if number not in contradicted}


def _entry(entry: Mapping[str, object]) -> tuple[int, AdjudicationVerdict | None]:
    number, same, why = entry.get("pair"), str(entry.get("same")).strip().lower(), entry.get("why")
    place = number if type(number) is int else int(number) if isinstance(number, str) and number.isdecimal() else 0
    reason = " ".join(why.split())[:_MAX_REASON] if isinstance(why, str) else ""
    return place, AdjudicationVerdict(_ANSWERS[same], reason) if same in _ANSWERS else None
