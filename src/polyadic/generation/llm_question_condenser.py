"""Condense a follow-up question into a standalone question with a language model."""

import re
from collections.abc import Sequence
from time import perf_counter

from polyadic.errors import NoReply
from polyadic.generation.citation_parser import unthought
from polyadic.generation.rule_question_condenser import standalone
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import TraceStep, Turn, Usage
from polyadic.text.language import certain_language
from polyadic.tracing.spans import step_done

# The last turns of a conversation, and the beginning of a long answer, show what a question refers to.
_TURNS = 6
_CHARACTERS = 1500
# Longer replies are not questions, but answers or essays.
_LONGEST = 500
_QUESTION_MARKS = ("?", "？", "؟")
_QUOTES = "\"'“”„«»‘’「」*`"
_LABEL = re.compile(r"(?:(?:next |rewritten )?question|q): *", re.IGNORECASE)


async def condense_question(
    question: str, history: Sequence[Turn], model: LanguageModel, prompts: PromptLibrary
) -> tuple[str, Usage, TraceStep]:
    """Rewrite a follow-up question with names in place of references; return it with usage and trace step.

    If the model returns no usable question, the rules of rule_question_condenser.py are applied instead.

    Raises
    ------
    ModelUnavailable
        As LanguageModel.complete.
    """
    started = perf_counter()
    conversation = "\n".join(
        f"Q: {_beginning(turn.question)}\nA: {_beginning(turn.answer)}" for turn in history[-_TURNS:]
    )
    messages = prompts.get("follow_up").messages(conversation=conversation, question=question)
    usage = Usage()
    rewritten = None
    try:
        reply = await model.complete(ModelRequest("follow-up", messages))
        usage = reply.usage
        rewritten = _rewritten(unthought(reply.text), question)
    except NoReply:
        pass
    condensed = rewritten or standalone(question, history)
    detail = condensed if rewritten else f"{model.name} gave no usable question; rewritten by rules: {condensed}"
    step = TraceStep("make the question self-contained", detail, perf_counter() - started)
    step_done(step.name)
    return condensed, usage, step


def _rewritten(reply: str, question: str) -> str | None:
    """Extract the question from a reply; None if the reply contains no question in the language of the original.

    >>> _rewritten('Here it is:\\n"Where was Ada born?"', "Where was she born?")
    'Where was Ada born?'
    >>> _rewritten("Ada was born in London.", "Where was she born?") is None
    True
    """
    lines = [stripped for line in reply.splitlines() if (stripped := _bare(line))]
    questions = [line for line in lines if line.endswith(_QUESTION_MARKS)]
    if not questions and not question.rstrip().endswith(_QUESTION_MARKS) and len(lines) == 1:
        questions = lines
    if not questions or len(questions[0]) > max(_LONGEST, 2 * len(question)):
        return None
    return questions[0] if _keeps_language(questions[0], question) else None


def _keeps_language(rewritten: str, question: str) -> bool:
    """Return whether both are in one language, as far as that is certain: the answer follows the question's language.

    >>> _keeps_language("Where was Ada Lovelace born?", "Wo wurde sie geboren?")
    False
    """
    one, other = certain_language(rewritten), certain_language(question)
    return not one or not other or one == other


def _bare(line: str) -> str:
    """Strip the label and the surrounding quotation marks of a line.

    >>> _bare('Question: "Who?"'), _bare('"Emma" was written by whom?'), _bare('Who wrote "Emma"?')
    ('Who?', '"Emma" was written by whom?', 'Who wrote "Emma"?')
    """
    line = _LABEL.sub("", line.strip())
    while len(line) > 2 and line[0] in _QUOTES and line[-1] in _QUOTES:
        line = line[1:-1].strip()
    return line


def _beginning(text: str) -> str:
    """Shorten a text and join its lines."""
    return " ".join(text[:_CHARACTERS].split())
