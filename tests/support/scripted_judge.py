"""A judge of claims whose log-odds a test decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class ScriptedJudge:
    """Gives these texts their log-odds and all others ``others``; ``calls`` has the claims and texts that it judged."""

    odds: Mapping[str, float]
    others: float = -9.0
    calls: list[tuple[str, str]] = field(default_factory=list)

    async def scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        self.calls += [(first, text) for _, text in seconds]
        return np.array([self.odds.get(text, self.others) for _, text in seconds])
