"""A question that follows up on a conversation, made to be understood without it."""

from collections.abc import Sequence
from time import perf_counter

from polyadic.generation.marked import unthought
from polyadic.knowledge import Step, Turn, Usage
from polyadic.models.language_model import LanguageModel, Request
from polyadic.prompts.library import Prompts

# Of a long conversation the last turns tell what a question points back to; of a long answer its beginning does.
_TURNS = 6
_CHARACTERS = 1500


async def self_contained(
    question: str, history: Sequence[Turn], model: LanguageModel, prompts: Prompts
) -> tuple[str, Usage, Step]:
    """The question with names in place of what points back, what that cost, and the step for the trace.

    Raises
    ------
    ModelUnavailable, NoReply
        As LanguageModel.ask.
    """
    started = perf_counter()
    said = "\n".join(f"Q: {turn.question}\nA: {turn.answer[:_CHARACTERS]}" for turn in history[-_TURNS:])
    messages = prompts.get("follow_up").messages(conversation=said, question=question)
    reply = await model.ask(Request("follow-up", messages))
    asked = next((line.strip() for line in unthought(reply.text).splitlines() if line.strip()), question)
    return asked, reply.usage, Step("make the question self-contained", asked, perf_counter() - started)


def with_last_question(question: str, history: Sequence[Turn]) -> str:
    """The same without a model: the question after the one before it, whose names it may point back to.

    >>> with_last_question("Where was she born?", [Turn("Who was Ada Lovelace?", "A mathematician.")])
    'Who was Ada Lovelace? Where was she born?'
    """
    return f"{history[-1].question} {question}" if history else question
