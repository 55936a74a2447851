"""polyadic index --engine ray: what it refuses in one line, and a run on a cluster of its own."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from polyadic import optional_dependencies
from polyadic.cli.main import run
from polyadic.config import ModelSettings, Settings
from polyadic.indexing.ray.worker_env import WorkerEnvironment
from tests.crashes.commands import COMMAND
from tests.indexing.ray.conftest import fresh
from tests.model_server import ModelServer
from tests.support.with_a_model import story

KEY = "sk-" + "never-to-be-told" * 2
with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")


def command(place: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"} | variables
    return subprocess.run(
        [*COMMAND, "-w", place, "index", *arguments], capture_output=True, text=True, env=environment, check=False
    )


def outcome(ran: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    """Exit code, and what was said on standard error but for progress."""
    said = [line for line in ran.stderr.splitlines() if not line.startswith("indexing: ")]
    return ran.returncode, "\n".join(said)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and the one line that the command says."""
    code = run([*arguments])
    (said,) = capsys.readouterr().err.splitlines()
    return code, said


@with_ray
def test_a_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "-w", str(tmp_path / "kb"), "index", "--engine", "ray", str(tmp_path))
    assert code == 1 and "cannot write to the folder" in said and "postgresql://" in said
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize("wrong", ["--prune", "--retry", "--dry-run"])
def test_local_only_options_are_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "index", "--engine", "ray", wrong, "letters")
    assert code == 2 and "--engine ray cannot be combined with" in said


@pytest.mark.parametrize("option", [["--workers", "2"], ["--address", "ray.example:6379"]])
def test_ray_options_need_ray(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "index", *option, "letters")
    assert code == 2 and "need --engine ray" in said


@pytest.mark.parametrize("before", [True, False])
def test_password_on_the_command_line_is_refused(before: bool, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["-w", f"postgresql://ada:{KEY}@db.example/kb#letters"]
    given = [*place, "index"] if before else ["index", *place]
    code, said = refused(capsys, *given, "--engine", "ray", "letters")
    assert code == 2 and "PGPASSWORD" in said and KEY not in said


def test_missing_extra_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(optional_dependencies, "find_spec", lambda name: None)
    code, said = refused(capsys, "index", "--engine", "ray", "letters")
    assert code == 1 and "--engine ray needs ray[data]" in said and "pip install 'polyadic[ray]'" in said


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9"])
def test_unreachable_cluster_is_reported(tmp_path: Path, address: str) -> None:
    (tmp_path / "a.txt").write_text("Ada met Charles in London.")
    code, said = outcome(command(fresh(), "--engine", "ray", "--address", address, str(tmp_path)))
    assert (code, len(said.splitlines())) == (1, 1)
    assert said.startswith("polyadic: cannot join the Ray cluster (")


def test_secrets_are_passed_to_workers_but_not_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setenv("PGPASSWORD", KEY)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "extract.txt").write_text("mine-1", encoding="utf-8")
    carried = WorkerEnvironment.of(Settings(model=ModelSettings(key_variable="MY_KEY")), tmp_path)
    assert carried.variables["MY_KEY"] == carried.variables["PGPASSWORD"] == KEY and "HOME" not in carried.variables
    assert KEY not in repr(carried) and dict(carried.prompts) == {"extract.txt": "mine-1"}


def listening() -> set[str]:
    """Addresses at which somebody listens on this machine, as the kernel writes them."""
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A"}


@contextmanager
def watched() -> Iterator[set[str]]:
    """Fills with the addresses at which somebody begins to listen meanwhile."""
    before, seen, over = listening(), set[str](), threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            seen.update(listening() - before)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seen
    finally:
        over.set()
        watching.join()


@pytest.mark.slow
@with_ray
def test_local_cluster_listens_on_loopback_and_stores_no_secrets(tmp_path: Path, server: ModelServer) -> None:
    for part in range(6):
        (tmp_path / f"{part}.txt").write_text(story(part, 8))
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    model = {"NAME": "recorded", "BASE_URL": server.url, "KEY_VARIABLE": "MY_KEY", "AT_ONCE": "2"}
    asked = {f"POLYADIC_MODEL__{name}": value for name, value in model.items()}
    place = fresh()
    try:
        with watched() as addresses:
            ran = command(
                place,
                "--engine",
                "ray",
                "--json",
                str(tmp_path),
                **asked,
                MY_KEY=KEY,
                PGPASSWORD=KEY,
                RAY_TMPDIR=str(folder),
            )
        assert outcome(ran) == (0, "")
        assert json.loads(ran.stdout)["added"] == len(server.calls) == 6
        assert all(call.asked.headers["authorization"] == f"Bearer {KEY}" for call in server.calls)
        loopback = ("0100007F:", "0000000000000000FFFF00000100007F:", "00000000000000000000000001000000:")
        assert addresses and [one for one in addresses if not one.startswith(loopback)] == []
        logs = [file for file in folder.rglob("*") if file.is_file()]
        assert logs and [file for file in logs if KEY.encode() in file.read_bytes()] == []
    finally:
        shutil.rmtree(folder, ignore_errors=True)
