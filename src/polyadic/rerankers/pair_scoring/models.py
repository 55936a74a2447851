"""The cross-encoders of the package."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairModel:
    """A cross-encoder: the adapter that makes it, and how many tokens it reads.

    Parameters
    ----------
    adapter
        Name of its file in ``adapters/``.
    first_tokens
        Maximum length of the first text; longer texts are truncated.
    context_tokens
        Maximum length of the context of the second text.
    second_tokens
        Maximum length of the second text with its context.
    """

    adapter: str
    first_tokens: int
    context_tokens: int
    second_tokens: int


# Does a sentence answer a question? Trained by ``python -m benchmarks.answer_selection.training``.
ANSWER_SELECTION = PairModel("answer_selection", first_tokens=32, context_tokens=24, second_tokens=60)
# Do sentences support a claim? Trained by ``python -m benchmarks.claim_support.training``.
CLAIM_SUPPORT = PairModel("claim_support", first_tokens=48, context_tokens=24, second_tokens=112)
