"""The server run by hand."""

import signal
import subprocess
import sys

import openai
import pytest

from tests.model_server.client import ask


@pytest.mark.slow
def test_command_prints_its_address_and_stops_on_a_signal() -> None:
    command = [sys.executable, "-m", "tests.model_server", "--delay-ms", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with openai.OpenAI(base_url=process.stdout.readline().strip(), api_key="any") as opened:
            assert ask(opened).usage.completion_tokens > 0
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
