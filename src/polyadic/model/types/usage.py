"""Usage of language models and embedding endpoints."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of language models or embedding endpoints; instances can be added and subtracted.

    Parameters
    ----------
    calls
        Number of calls.
    prompt_tokens
        Tokens sent.
    completion_tokens
        Tokens received.
    money
        Price, rounded to 12 decimals (prices are per million tokens), so that a sum does not depend on the order in
        which calls return.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "money", round(self.money, 12))

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Add two usages.

        >>> Usage(1, 10, 2) + Usage(1, 5, 1, 0.5)
        Usage(calls=2, prompt_tokens=15, completion_tokens=3, money=0.5)
        """
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.money + other.money,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        """Subtract an earlier usage.

        >>> Usage(3, 15, 3) - Usage(1, 5, 1)
        Usage(calls=2, prompt_tokens=10, completion_tokens=2, money=0.0)
        """
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.money - other.money,
        )
