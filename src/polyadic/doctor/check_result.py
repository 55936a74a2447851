"""What an examination found, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was looked at. ``next_step`` says what to do; empty where nothing needs to be done."""

    what: str
    state: Severity
    detail: str
    next_step: str = ""


def good(what: str, detail: str) -> CheckResult:
    return CheckResult(what, Severity.GOOD, detail)


def doubtful(what: str, detail: str, next_step: str) -> CheckResult:
    return CheckResult(what, Severity.DOUBTFUL, detail, next_step)


def bad(what: str, detail: str, next_step: str) -> CheckResult:
    return CheckResult(what, Severity.BAD, detail, next_step)
