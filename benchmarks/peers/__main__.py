"""Compare Polyadic with similar systems for docs/performance.md: ``python -m benchmarks.peers``; it needs no data.

All systems do the same work in one run, with mock models (benchmarks/synthetic_workload.py). Only a full run writes the
section. ``--quick`` is meant for the test suite and fails if a margin is exceeded.
"""

import argparse
import os
import platform
import sys
import tempfile
import textwrap
from pathlib import Path

from benchmarks.peers.environments import FOLDER, interpreters
from benchmarks.peers.plan import SMALL, WHOLE, Plan, Results, carried_out
from benchmarks.peers.running import Runner
from benchmarks.peers.smoke import Failed, margins
from benchmarks.peers.systems import POLYADIC, SYSTEMS
from benchmarks.peers.table import lines, rows, survival
from benchmarks.report_sections import PERFORMANCE, rewrite

HEADING = "## Beside the peers"
_WIDTH = 120
HEAD = """
Made by `make bench` (`python -m benchmarks.peers`): every system does the same work in one run, taking turns, each in
an environment and in processes of its own. Of each of the passages, which have about 1,100 tokens, a model that stands
in returns 12 facts of 2 to 6 among 16 entities; systems whose relations are pairs get the first two of each. It and
the embedder cost next to nothing; 16 calls are made at once. Insertions are medians of {times}; {questions} questions
are asked in a fresh process, and the model answers at once what it is asked about them. The last column says how many
times better Polyadic does than the best peer.

"""
PEERS = """The peers, {peers}, have their defaults, but all cut passages alike; LightRAG is asked in mode `mix`, without
reranking and without keeping replies to questions, nano-graphrag in local mode, and fast-graphrag with its store loaded
before it is asked. On {machine}. The run took {minutes:.0f} minutes: {parts}."""


def main() -> int:
    options = _options()
    names = [POLYADIC] if options.quick else options.only
    pythons = interpreters(names, options.environments)
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(pythons, Path(work), options.limit)
        if options.quick:
            return _quick(runner)
        plan = SMALL if options.small else WHOLE
        results = carried_out(plan, runner)
    body = section(plan, results, names)
    print(body)
    if plan is WHOLE and set(names) == set(SYSTEMS):
        rewrite(PERFORMANCE, HEADING, body.splitlines())
    return 0


def section(plan: Plan, results: Results, names: list[str]) -> str:
    """Format the section without its heading."""
    packages = [SYSTEMS[name].packages[0].split("==") for name in names if SYSTEMS[name].packages]
    minutes = {part: seconds / 60 for part, seconds in results.seconds.items()}
    peers = PEERS.format(
        peers=", ".join(f"{package} {version}" for package, version in packages),
        machine=f"{os.cpu_count()} cores, Python {platform.python_version()}",
        minutes=sum(minutes.values()),
        parts=", ".join(f"{part} {part_minutes:.1f}" for part, part_minutes in minutes.items()),
    )
    table = lines([*rows(plan, results), survival(results, plan.kills)], names)
    head = HEAD.format(times=plan.times, questions=plan.questions)
    return head + "\n".join([*table, "", *textwrap.wrap(peers, _WIDTH, break_on_hyphens=False)]) + "\n"


def _quick(runner: Runner) -> int:
    try:
        results = margins(runner)
    except Failed as failure:
        print(f"nothing to compare: {failure}")
        return 1
    print("\n".join(map(str, results)))
    return int(any(margin.broken for margin in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), metavar="SYSTEM", help=", ".join(SYSTEMS)
    )
    parser.add_argument("--quick", action="store_true", help="check the margins of Polyadic alone, in a minute")
    parser.add_argument("--small", action="store_true", help="measure everything, with stores of a few passages")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="time limit of a task")
    parser.add_argument(
        "--environments", type=Path, default=FOLDER, metavar="FOLDER", help="folder of the peers' virtual environments"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
