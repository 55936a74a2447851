"""Attributes of the tracing span of a question."""

from opentelemetry.trace import Span

from polyadic.model.types import Answer, Knowledge


def record_knowledge(trace_span: Span, knowledge: Knowledge) -> None:
    """Record how much was retrieved, and by which method; never the question or any text."""
    counts = {"polyadic.items": len(knowledge.items), "polyadic.context_tokens": knowledge.tokens}
    trace_span.set_attributes({"polyadic.method": knowledge.method, **counts})


def record_answer(trace_span: Span, answer: Answer) -> None:
    """Record the retrieved knowledge, whether it answers the question, and the number of citations."""
    record_knowledge(trace_span, answer.knowledge)
    trace_span.set_attributes({"polyadic.answered": answer.answered, "polyadic.citations": len(answer.citations)})
