"""Spans of this process: how they lie within each other, and that nothing is done where nobody listens."""

import asyncio
import subprocess
import sys

import pytest

from polyadic.tracing.exporter import exported
from polyadic.tracing.spans import called, for_environment, is_listened, span, stage, started, step_done
from tests.tracing.collector import Collector

WITHIN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
ASKED = "What did Ada Lovelace hide in Chelsea?"


def test_tracing_is_disabled_by_default() -> None:
    with span("a") as traced, stage("b"):
        step_done("c")
        assert not traced.is_recording() and not is_listened() and for_environment() == {}


def test_without_the_extra_the_work_is_done_and_spans_are_not_sent() -> None:
    """In a process where OpenTelemetry's SDK cannot be imported, as in a default install."""
    code = (
        "import sys; sys.modules['opentelemetry.sdk'] = sys.modules['opentelemetry.exporter'] = None\n"
        "from polyadic.tracing.spans import stage, step_done, called, started\n"
        "from polyadic.tracing.exporter import exported\n"
        "with exported(print), started('a'), called('b', {}), stage('c'): step_done('d')\n"
        "import os; os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9'\n"
        "with exported(print), stage('c'): step_done('d')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    [line] = ran.stdout.splitlines()
    assert line.startswith("spans are not sent: ") and line.endswith(
        "pip install 'polyadic[otel]', or '.[otel]' in a checkout"
    )


def test_step_spans_are_siblings_and_contain_nested_spans(collector: Collector) -> None:
    with exported(pytest.fail), stage("question"):
        step_done("first")
        with span("call"):
            step_done("this is no stage, so it has no steps")
        step_done("second")
        with span("late"):
            pass
    whole = collector.wait_for("question")
    assert [one.name for one in collector.within(whole)] == ["first", "second", "afterwards"]
    assert collector.way_to(collector.wait_for("call")) == ["question", "second", "call"]
    assert collector.way_to(collector.wait_for("late")) == ["question", "afterwards", "late"]
    first, second, *_ = collector.within(whole)
    assert whole.start <= first.start <= first.end == second.start <= second.end <= whole.end


def test_failed_spans_have_the_error_type_but_no_message(collector: Collector) -> None:
    with exported(pytest.fail), pytest.raises(ValueError), stage("question"), span("call"):
        raise ValueError(ASKED)
    failed = {one.name: one for one in collector.spans}
    assert set(failed) == {"question", "unfinished", "call"}
    for one in failed.values():
        assert one.failed and one.attributes == {"error.type": "ValueError"}
        assert (one.status_message, one.events) == ("", 0)


def test_cancellation_is_not_a_failure(collector: Collector) -> None:
    async def leave() -> None:
        with stage("question"), span("call"):
            asyncio.current_task().cancel()  # type: ignore[union-attr]
            await asyncio.sleep(1)

    with exported(pytest.fail), pytest.raises(asyncio.CancelledError):
        asyncio.run(leave())
    assert not any(one.failed for one in collector.spans) and len(collector.spans) == 3


def test_concurrent_tasks_have_separate_spans(collector: Collector) -> None:
    async def ask(number: int) -> None:
        with stage(f"question {number}"):
            for step in range(3):
                await asyncio.sleep(0)
                with span(f"call {number}.{step}"):
                    await asyncio.sleep(0)
                step_done(f"step {number}.{step}")

    async def ask_all() -> None:
        await asyncio.gather(*(ask(number) for number in range(5)))

    with exported(pytest.fail):
        asyncio.run(ask_all())
    for number in range(5):
        for step in range(3):
            way = collector.way_to(collector.wait_for(f"call {number}.{step}"))
            assert way == [f"question {number}", f"step {number}.{step}", f"call {number}.{step}"]
    assert len({one.trace for one in collector.spans}) == 5


@pytest.mark.parametrize("given", [WITHIN, WITHIN.replace("-01", "-00"), "", "nonsense", "00-" + "0" * 32 + "-1-01"])
def test_trace_context_of_the_caller_is_used(collector: Collector, given: str) -> None:
    with exported(pytest.fail), span("elsewhere"), called("call", {"traceparent": given}) as traced:
        sampled = traced.is_recording()
    assert sampled is not given.endswith("-00")
    if sampled:
        [call] = [one for one in collector.spans if one.name == "call"]
        known = given == WITHIN
        assert (call.trace, call.parent) == (WITHIN[3:35], WITHIN[36:52]) if known else call.parent == ""
        assert call.kind == "server"


def test_trace_context_is_passed_to_processes(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    with exported(pytest.fail), stage("question"), span("call"):
        for name, value in for_environment().items():
            monkeypatch.setenv(name, value)
    assert collector.bodies
    with exported(pytest.fail), started("job"):
        pass
    assert collector.way_to(collector.wait_for("job")) == ["question", "afterwards", "call", "job"]


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({}, "polyadic"),
        ({"OTEL_SERVICE_NAME": "letters"}, "letters"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=drafts"}, "drafts"),
    ],
)
def test_service_name_comes_from_the_environment(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with exported(pytest.fail), span("a"):
        pass
    assert collector.wait_for("a").service == named


@pytest.mark.parametrize(
    "variables",
    [
        {"OTEL_SDK_DISABLED": "true"},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_TRACES_SAMPLER": "always_off"},
    ],
)
def test_environment_can_disable_tracing(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with exported(pytest.fail), stage("a"):
        step_done("b")
    assert collector.bodies == []


def test_unsupported_protocol_is_reported_once(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    warned: list[str] = []
    with exported(warned.append), span("a") as traced:
        assert not traced.is_recording()
    [line] = warned
    assert "grpc" in line and "http/protobuf" in line


@pytest.mark.slow
def test_unreachable_collector_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    warned: list[str] = []
    with exported(warned.append):
        for _ in range(3):
            with span("a"):
                pass
    [line] = warned
    assert line.startswith("spans are not sent: ")
