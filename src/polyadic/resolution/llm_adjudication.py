"""A language model says whether two names mean one: asked about many pairs at a time, and read with care."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage
from polyadic.resolution.candidates import CandidateEntity, MergeCandidate

PAIRS_A_REQUEST = 20
_LONGEST = 300
_LONGEST_REASON = 200
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_SAID = {"true": True, "yes": True, "same": True, "false": False, "no": False, "different": False, "unsure": None}
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
    """What a model says of a pair: one, two, or None where it is unsure; and its reason."""

    same: bool | None
    why: str


@dataclass(slots=True)
class LLMAdjudication:
    """What came of asking. ``unreadable`` pairs got no verdict that can be read: none is guessed.

    ``stopped`` says why not all pairs were asked about; empty if they were.
    """

    verdicts: dict[str, AdjudicationVerdict] = field(default_factory=dict)
    unreadable: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: str = ""


async def adjudicate(
    candidates: Sequence[MergeCandidate], model: CachedModel, prompts: PromptLibrary, at_once: int = 1
) -> LLMAdjudication:
    """Ask about pairs, twenty a request; verdicts by the identifier of the candidate.

    Parameters
    ----------
    candidates
        The same in the same order are asked about in the same words, and so paid for once.
    model
        With its memory and its budget: where that is used up, no more is asked, and what came is kept.
    prompts
        Where the words of the request are.
    at_once
        How many requests may be under way.
    """
    batches = [candidates[at : at + PAIRS_A_REQUEST] for at in range(0, len(candidates), PAIRS_A_REQUEST)]
    outcome, free = LLMAdjudication(), asyncio.Semaphore(at_once)

    async def ask(batch: Sequence[MergeCandidate]) -> None:
        async with free:
            if outcome.stopped:
                return
            request = ModelRequest("same-entity", prompts.get("same_entity").messages(pairs=_shown(batch)), _SCHEMA)
            try:
                reply = await model.ask(request, lambda reply: bool(_verdicts(reply.text, len(batch))))
            except ModelUnavailable as problem:
                outcome.stopped = outcome.stopped or str(problem)
            except NoReply:
                outcome.unreadable += len(batch)
            else:
                _enter(outcome, batch, reply)

    await asyncio.gather(*(ask(batch) for batch in batches))
    outcome.usage = model.spent
    return outcome


def _enter(outcome: LLMAdjudication, batch: Sequence[MergeCandidate], reply: ModelReply) -> None:
    found = _verdicts(reply.text, len(batch))
    outcome.verdicts |= {batch[number - 1].id: verdict for number, verdict in found.items()}
    outcome.unreadable += len(batch) - len(found)


def _shown(batch: Sequence[MergeCandidate]) -> str:
    return "\n\n".join(
        f"Pair {number}\n{_side('A', candidate.one)}\n{_side('B', candidate.other)}"
        for number, candidate in enumerate(batch, start=1)
    )


def _side(letter: str, about: CandidateEntity) -> str:
    """One name with what is known of it; every line is ours, so nothing in a document can pass for another pair."""
    known = {"type": about.type, "description": about.description, "statement": about.fact}
    lines = [f"  {what}: {_line(text)}" for what, text in known.items() if text]
    return "\n".join([f"{letter}: {_line(about.name)}", *lines])


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def _verdicts(reply: str, pairs: int) -> dict[int, AdjudicationVerdict]:
    """Verdicts by the number of the pair; what cannot be read, or says two things of one pair, is left out.

    >>> _verdicts('<think>{}</think>[{"pair": "1", "same": true}, {"pair": 2, "same": "perhaps"}]', 2)
    {1: AdjudicationVerdict(same=True, why='')}
    """
    # Imported late: only replies of models need mending.
    from json_repair import repair_json

    read = repair_json(_THOUGHTS.sub("", reply), return_objects=True)
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
    reason = " ".join(why.split())[:_LONGEST_REASON] if isinstance(why, str) else ""
    return place, AdjudicationVerdict(_SAID[same], reason) if same in _SAID else None
