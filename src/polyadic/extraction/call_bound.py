"""Bound the number of calls about one window: those for its parts, and those that ask again for missing facts."""

import math
from dataclasses import dataclass

from polyadic.llm.endpoint_model import TOKENIZER_MARGIN, prompt_tokens
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.model.types import Usage

MIN_SENTENCES = 3
"""A window with at least this many sentences is asked about again if the model found no fact in it."""
# Reply tokens per token of text that no honest reply exceeds: recorded ones have 2.7 to 7.9. A model that goes on and
# on would otherwise be asked about ever smaller parts.
_LONGEST_REPLY_RATIO = 12
# Tokens of the line that introduces the context before a part; the context itself is text of the window.
_LEAD_IN_TOKENS = 20


@dataclass(frozen=True, slots=True)
class WindowCalls:
    """Maximum number of calls about a window: for the facts of its parts, and for missing facts of each of them.

    ``parts`` includes the window itself. ``gleanings`` is the number of those calls for all parts.
    """

    parts: int
    gleanings: int

    @property
    def total(self) -> int:
        return self.parts + self.gleanings


def most_splits(text_tokens: int, reply_tokens: int) -> int:
    """Return how often a window is split in halves at most; at least once.

    Parameters
    ----------
    text_tokens
        Tokens of the window.
    reply_tokens
        Maximum number of tokens of a reply.

    >>> most_splits(1200, 8000), most_splits(1200, 16000), most_splits(1200, 1000)
    (1, 1, 4)
    """
    return max(1, math.ceil(math.log2(max(1, text_tokens) * _LONGEST_REPLY_RATIO / max(1, reply_tokens))))


def most_calls(sentences: int, splits: int, gleanings: int) -> WindowCalls:
    """Bound the calls about a window with so many sentences that is split ``splits`` times at most.

    If ``gleanings`` is 0, only parts of several sentences without a fact are asked about again, once.

    >>> most_calls(20, 1, 0), most_calls(1, 1, 0), most_calls(20, 2, 3)
    (WindowCalls(parts=3, gleanings=2), WindowCalls(parts=1, gleanings=0), WindowCalls(parts=7, gleanings=12))
    """
    smallest = min(2**splits, max(1, sentences))
    again = smallest * gleanings if gleanings else min(smallest, sentences // MIN_SENTENCES)
    return WindowCalls(2 * smallest - 1, again)


def most_usage(
    request: ModelRequest, again: ModelRequest, calls: WindowCalls, gleanings: int, model: LanguageModel
) -> Usage:
    """Return the maximum usage of the calls about a window, without prices.

    Parameters
    ----------
    request
        The request for the facts of the whole window; those for its parts are shorter.
    again
        What is added to ask for facts of all sentences that are missing.
    calls
        Maximum number of calls.
    gleanings
        Maximum number of times that a part is asked about again, according to the settings.
    model
        The model.

    Raises
    ------
    NoReply
        The request does not fit into the model's context, so it would not be sent.
    """
    most = model.max_usage(request).prompt_tokens + _LEAD_IN_TOKENS
    # Each time, the conversation grows by a reply; a request never has more tokens than the context.
    turn = math.ceil(TOKENIZER_MARGIN * (model.output_tokens + prompt_tokens(again)))
    gleaning = min(model.context_tokens, most + max(1, gleanings) * turn)
    sent = calls.parts * most + calls.gleanings * gleaning
    return Usage(calls.total, sent, calls.total * model.output_tokens)
