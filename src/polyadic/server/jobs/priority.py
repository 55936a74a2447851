"""What a job leaves to questions: the processor whenever they want it, and half of the processors altogether."""

import contextlib
import os
import sys

_LEAST_PRIORITY = 19


def stand_behind_questions() -> None:
    """Compute, from now on and on threads that are begun later, with what everybody else leaves.

    Priority alone is not enough. Under Linux, a thread that has begun its slice of time ends it before one that wakes
    up goes on, whatever their priorities, and a question wakes up at each of its steps: so a job runs as idle work,
    which gives way at once. It still slows what is computed beside it, and does so less on one half of the processors.
    """
    with contextlib.suppress(OSError):
        os.nice(_LEAST_PRIORITY)
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            processors = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, processors[len(processors) // 2 :])
