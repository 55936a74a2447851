"""An OpenAI-compatible server that stands in for a language model in tests: real HTTP, settable replies and faults.

Everything a test needs is here, the fixtures in ``tests.model_server.fixtures``; ``python -m tests.model_server`` runs
it by hand.
"""

from tests.model_server.hierarchy_responders import hierarchy_replies, reports_of_facts, summaries_of_members
from tests.model_server.misbehaviour import (
    Changed,
    CutConnection,
    CutStream,
    CutText,
    EmptyChoices,
    EmptyText,
    Fenced,
    Gate,
    Huge,
    Late,
    Misbehaviour,
    Never,
    NotJson,
    NullContent,
    Prose,
    Refusal,
    Replaced,
    Status,
    Think,
    WithoutUsage,
)
from tests.model_server.recorded import recorded_model
from tests.model_server.responders import (
    NO_ANSWER,
    answer_from_context,
    checks_claims,
    entities_of_question,
    facts_by_sentence,
    needle,
    ready,
    says,
    supported_by_sentences,
)
from tests.model_server.server import ModelServer
from tests.model_server.step_responders import answers_of_steps, step_replies, steps_of_names
from tests.model_server.types import Asked, Call, Message, Responder, Said

__all__ = [
    "NO_ANSWER",
    "Asked",
    "Call",
    "Changed",
    "CutConnection",
    "CutStream",
    "CutText",
    "EmptyChoices",
    "EmptyText",
    "Fenced",
    "Gate",
    "Huge",
    "Late",
    "Message",
    "Misbehaviour",
    "ModelServer",
    "Never",
    "NotJson",
    "NullContent",
    "Prose",
    "Refusal",
    "Replaced",
    "Responder",
    "Said",
    "Status",
    "Think",
    "WithoutUsage",
    "answer_from_context",
    "answers_of_steps",
    "checks_claims",
    "entities_of_question",
    "facts_by_sentence",
    "hierarchy_replies",
    "needle",
    "ready",
    "recorded_model",
    "reports_of_facts",
    "says",
    "step_replies",
    "steps_of_names",
    "summaries_of_members",
    "supported_by_sentences",
]
