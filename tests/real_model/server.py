"""llama.cpp's server with the model of the tests, in a process of its own: a crash there is not one of the tests.

``python -m tests.real_model.server FILE chat|embeddings CONTEXT`` prints its address, and serves until its input ends.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Purpose = Literal["chat", "embeddings"]


@contextmanager
def serving(file: Path, purpose: Purpose, context: int) -> Iterator[str]:
    """Run the server, and yield the base URL for OpenAI's clients."""
    command = [sys.executable, "-m", __spec__.name, str(file), purpose, str(context)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), "the server did not start"
        try:
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.wait(30)


def _serve(file: str, purpose: str, context: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = file
    params.model_alias = ["smollm2"]
    params.n_ctx = context
    params.n_parallel = 1
    # Beside other tests, more threads would mostly wait for each other.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.port = 0
    if purpose == "embeddings":
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
