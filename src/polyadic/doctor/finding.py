"""What an examination found, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How serious a finding is."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``next_step`` says what to do; empty where nothing needs to be done."""

    what: str
    state: State
    detail: str
    next_step: str = ""


def good(what: str, detail: str) -> Finding:
    return Finding(what, State.GOOD, detail)


def doubtful(what: str, detail: str, next_step: str) -> Finding:
    return Finding(what, State.DOUBTFUL, detail, next_step)


def bad(what: str, detail: str, next_step: str) -> Finding:
    return Finding(what, State.BAD, detail, next_step)
