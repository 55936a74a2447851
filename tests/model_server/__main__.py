"""``python -m tests.model_server``: the server by hand, until a signal ends it."""

import argparse
import signal
import threading
from pathlib import Path

from tests.model_server.recorded import recorded_model
from tests.model_server.responders import ready
from tests.model_server.server import ModelServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="a free one by default")
    parser.add_argument("--data", type=Path, help="a data set with recorded facts, such as $POLYADIC_DATA/2wiki-101")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="what each call takes at least")
    given = parser.parse_args()
    recorded = [recorded_model(given.data)] if given.data else []
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with ModelServer([*recorded, *ready()], port=given.port, delay=given.delay_ms / 1000) as server:
        print(server.url, flush=True)
        ended.wait()


main()
