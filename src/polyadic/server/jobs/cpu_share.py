"""CPU share of jobs: a priority below that of questions, and half of the processors."""

import contextlib
import os
import sys

_LEAST_PRIORITY = 19


def stand_behind_questions() -> None:
    """Give this process and its future threads the lowest scheduling priority.

    Niceness alone is not enough. On Linux, a running thread finishes its time slice before a thread that wakes up,
    whatever their niceness, and a question wakes up at each of its steps. So a job runs with the idle policy, which
    yields at once. It still slows other computation on the same processors, and does so less on one half of them.
    """
    with contextlib.suppress(OSError):
        os.nice(_LEAST_PRIORITY)
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            processors = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, processors[len(processors) // 2 :])
