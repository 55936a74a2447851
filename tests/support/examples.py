"""How many examples a property test draws that needs more or fewer of them than the others."""

from hypothesis import settings

FEW = "few"
"""Profile of `make test`; `make test-all` draws all examples of every property test."""


def examples(number: int) -> int:
    """Return this number of examples, or a tenth of it in `make test`.

    To be called while a test module is imported: the profile is known by then.
    """
    return max(3, number // 10) if settings.get_current_profile_name() == FEW else number
