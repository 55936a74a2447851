"""A group of tasks, all or none: the first error cancels the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """Open an ``asyncio.TaskGroup`` that raises the first error itself, not in an ExceptionGroup.

    So ``except PolyadicError`` around it works. Tasks that the error cancels have cleaned up when it is raised.

    Examples
    --------
    >>> async def main() -> list[int]:
    ...     async with task_group() as tasks:
    ...         both = [tasks.create_task(asyncio.sleep(0, number)) for number in (1, 2)]
    ...     return [task.result() for task in both]
    >>> asyncio.run(main())
    [1, 2]
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
    except BaseExceptionGroup as group:
        # In the order in which the tasks failed; the later ones are usually consequences of it.
        raise group.exceptions[0] from None
