"""Time limit of the model checks: a slow model must not hold up the others for minutes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic

from polyadic.doctor.check_result import CheckResult, doubtful


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Checks of one model: the names of their results in order, and the results."""

    names: Sequence[str]
    results: AsyncGenerator[CheckResult, None]


async def within(seconds: float, checks: Sequence[ModelCheck]) -> AsyncGenerator[CheckResult, None]:
    """Run checks one after the other until a time limit that applies to all of them together.

    Yields
    ------
    CheckResult
        The results, and at the end, if time ran out, one result that names the checks that were not completed.
    """
    ends, missing = monotonic() + seconds, list[str]()
    for check in checks:
        done = set[str]()
        async with aclosing(check.results) as results:
            while True:
                try:
                    result = await asyncio.wait_for(anext(results), ends - monotonic())
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    missing += [name for name in check.names if name not in done]
                    break
                done.add(result.what)
                yield result
    if missing:
        what = f"{', '.join(missing)}, because the time limit of {seconds:g} s for all models was reached"
        yield doubtful("not checked", what, f"polyadic doctor --timeout {5 * seconds:g} waits longer")
