"""Measure how indexing on Ray scales: ``python -m benchmarks.ray_scaling`` (needs the extras ray, postgres and dev).

A mock model replies after a delay, so workers mostly wait; each has 16 concurrent calls. The number of documents grows
with the number of workers. Each run fills a new workspace on one local cluster. A run is timed from the first call to
the last reply, because Ray starts its actors before. The processor time of the whole machine is reported as well, since
it is the first limit to be reached; nothing else should run at the same time.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.report_sections import PERFORMANCE_AT_SCALE, rewrite
from polyadic.config import EmbeddingSettings, ModelSettings, Settings
from polyadic.indexing.ray.cluster import joined
from polyadic.workspace import Workspace
from tests.support import postgres

AT_ONCE = 16
HEADING = "## On a cluster of Ray"
HEAD = f"""
Made by `python -m benchmarks.ray_scaling`: documents of a chunk each are read by `polyadic index --engine ray` on a
cluster of one machine into PostgreSQL there, and extracted by a stand-in model that answers with two facts after a
while; each worker has {AT_ONCE} calls under way and reads as many documents as the others. All of it shares the
machine's {os.cpu_count()} processors, which are the limit where most of them are in use.

"""
HEADS = (
    "s a reply",
    "workers",
    "chunks a second",
    "of what calls allow",
    "a worker, beside one alone",
    "processor time of the machine: ms a chunk",
    "processors in use",
)
_WORDS = ("harbour", "letter", "engine", "winter", "ledger", "voyage", "garden", "signal", "bridge", "copper")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--seconds", type=float, default=20, help="duration of a run if workers only wait for calls")
    parser.add_argument("--delays", type=float, nargs="+", default=[0.2, 1.0], help="delays of the model in seconds")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    rows = [row for delay in options.delays for row in scaling(delay, options.workers, options.seconds)]
    lines = [f"| {' | '.join(row)} |" for row in (HEADS, *rows)]
    section = HEAD + "\n".join([lines[0], "|" + "---|" * len(HEADS), *lines[1:]]) + "\n"
    rewrite(PERFORMANCE_AT_SCALE, HEADING, section.splitlines())
    print(section)


def scaling(delay: float, numbers: Sequence[int], seconds: float) -> Iterator[tuple[str, ...]]:
    """Yield a table row for each number of workers."""
    per_worker = int(seconds * AT_ONCE / delay)
    with tempfile.TemporaryDirectory() as folder, stand_in(delay) as url, joined(None):
        files = documents(Path(folder), per_worker * max(numbers))
        settings = Settings(
            model=ModelSettings(name="stand-in", base_url=f"{url}/v1", key_variable="", at_once=AT_ONCE),
            embedding=EmbeddingSettings(model="hashing"),
        )
        first = 0.0
        for workers in numbers:
            address = f"{postgres.server()}#{postgres.fresh()}"
            chunks, seconds_taken, busy = measured(address, settings, files[: per_worker * workers], workers, url)
            rate = chunks / seconds_taken
            first = first or rate / workers
            yield (
                f"{delay:g}",
                f"{workers}",
                f"{rate:.0f}",
                f"{rate * delay / workers / AT_ONCE:.2f}",
                f"{rate / first / workers:.2f}",
                f"{1_000 * busy / chunks:.1f}",
                f"{busy / seconds_taken / (os.cpu_count() or 1):.0%}",
            )


def measured(place: str, settings: Settings, files: list[str], workers: int, url: str) -> tuple[int, float, float]:
    """Return chunks, seconds from the first call to the last reply, and processor seconds of the machine."""
    with Workspace(place, settings) as kb:
        report = kb.index_on_ray(files, workers=workers)
    assert not report.stopped and report.added == len(files)
    with urllib.request.urlopen(f"{url}/lately") as response:  # noqa: S310
        lately = json.load(response)
    assert lately["calls"] == report.chunks
    return report.chunks, lately["seconds"], lately["busy"]


def documents(folder: Path, number: int) -> list[str]:
    """Write distinct files of about 200 words."""
    names = [folder / f"{n:05}.txt" for n in range(number)]
    for n, name in enumerate(names):
        sentences = (
            f"In {n} the {_WORDS[(n + k) % 10]} {k} was near the {_WORDS[(n * 7 + k) % 10]}." for k in range(20)
        )
        name.write_text(" ".join(sentences), encoding="utf-8")
    return [str(name) for name in names]


@contextmanager
def stand_in(delay: float) -> Iterator[str]:
    """Run a mock model in its own process, which replies with two facts after a delay; yields its URL."""
    context = multiprocessing.get_context("spawn")
    ready = context.Queue()
    process = context.Process(target=_serve, args=(delay, ready), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ready.get()}"
    finally:
        process.terminate()
        process.join()


def _serve(delay: float, ready: Any) -> None:
    from aiohttp import web

    numbers, times = count(), [0.0, 0.0, 0.0, 0.0]
    calls = [0]

    async def chat(request: web.Request) -> web.Response:
        if not calls[0]:
            times[0], times[2] = time.monotonic(), _busy()
        calls[0] += 1
        await request.read()
        await asyncio.sleep(delay)
        times[1], times[3] = time.monotonic(), _busy()
        return web.Response(text=_reply(next(numbers)), content_type="application/json")

    async def lately(request: web.Request) -> web.Response:
        stats = {"calls": calls[0], "seconds": times[1] - times[0], "busy": times[3] - times[2]}
        calls[0] = 0
        return web.json_response(stats)

    async def run() -> None:
        application = web.Application()
        application.add_routes([web.post("/v1/chat/completions", chat), web.get("/lately", lately)])
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ready.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


def _reply(number: int) -> str:
    names = [f"Person {number % 997}", f"Town {number % 89}", f"Ship {number}"]
    entities = [{"name": name, "type": "thing", "description": f"{name} it is", "score": 80} for name in names]
    facts = [
        {"text": f"{names[0]} met {names[2]} in {names[1]}.", "score": 8, "sentences": [1], "entities": entities},
        {"text": f"{names[2]} left {names[1]}.", "score": 7, "sentences": [2], "entities": entities[1:]},
    ]
    message = {"role": "assistant", "content": json.dumps({"facts": facts})}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 900, "completion_tokens": 200, "total_tokens": 1100}
    response = {"id": "c", "object": "chat.completion", "created": 0, "model": "stand-in", "choices": [choice]}
    return json.dumps(response | {"usage": usage})


def _busy() -> float:
    """Return the busy seconds of all processors since the machine started."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split(maxsplit=4)[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
