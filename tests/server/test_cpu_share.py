"""Jobs stand behind questions."""

import os
import subprocess
import sys

import pytest

_PROGRAM = """
import os
from polyadic.server.jobs.worker import stand_behind_questions
stand_behind_questions()
print(os.sched_getscheduler(0) == os.SCHED_IDLE, os.getpriority(os.PRIO_PROCESS, 0), len(os.sched_getaffinity(0)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows of idle work and of processors of one's own")
def test_job_runs_at_low_priority_on_half_of_the_processors() -> None:
    output = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True).stdout.split()
    processors = len(os.sched_getaffinity(0))
    assert output == ["True", "19", str(processors - processors // 2)]
