"""Result of a health check."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Severity of a result."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of one check.

    Parameters
    ----------
    what
        What was checked.
    state
        Severity of the result.
    detail
        What the check found.
    next_step
        What the user can do; empty if there is nothing to do.
    """

    what: str
    state: Severity
    detail: str
    next_step: str = ""


def good(what: str, detail: str) -> CheckResult:
    """Create a result without a problem."""
    return CheckResult(what, Severity.GOOD, detail)


def doubtful(what: str, detail: str, next_step: str) -> CheckResult:
    """Create a warning."""
    return CheckResult(what, Severity.DOUBTFUL, detail, next_step)


def bad(what: str, detail: str, next_step: str) -> CheckResult:
    """Create an error."""
    return CheckResult(what, Severity.BAD, detail, next_step)
