"""A container from its first start to its end, with the commands that the Dockerfile and compose.yaml name."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import httpx2
import pytest

from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from tests.deployment.dockerfile import ROOT
from tests.deployment.image import Image, built
from tests.server.running_server import ADA, BABBAGE, QUESTION, make
from tests.server.server_process import Served, served

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """Somewhere that the image's user can go as well."""
    place = Path(tempfile.mkdtemp(prefix="polyadic-image-"))
    place.chmod(0o755)
    try:
        yield built(place, _weights())
    finally:
        shutil.rmtree(place)


def _weights() -> Path | None:
    try:
        return find_weights().folder
    except WeightsMissing:
        return None


def environment(image: Image) -> dict[str, str]:
    return image.environment | ({} if _weights() else {"POLYADIC_EMBEDDING__MODEL": "hashing"})


def ran(image: Image, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``docker compose run --rm polyadic ARGUMENTS``."""
    command = image.run(*arguments)
    return subprocess.run(
        command, env=environment(image), cwd=image.data, capture_output=True, text=True, check=False, timeout=120
    )


@contextmanager
def up(image: Image) -> Iterator[Served]:
    """``docker compose up``, at a free port."""
    log = image.place / "server.log"
    with served(log, [*image.run(), "--port", "0"], environment(image), cwd=image.data, alone=True) as server:
        yield server


def said_in_compose() -> list[str]:
    """How compose.yaml says that a key is made."""
    [line] = re.findall(r"docker compose run --rm polyadic (\S.*?)  ", (ROOT / "compose.yaml").read_text())
    return str(line).split()


def client_of(port: int, key: str = "") -> httpx2.Client:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, verify=False)


def test_installed_packages_are_the_pinned_ones() -> None:
    """Without this the image of these tests would say little of the one that Docker makes."""
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", (ROOT / "requirements-serve.txt").read_text(), re.MULTILINE)
    assert [(name, version(name)) for name, _ in pinned] == pinned


def test_container_starts_serves_and_stops(image: Image) -> None:
    first = ran(image)
    assert first.returncode == 1
    [line] = first.stderr.splitlines()
    # What to do is said with the very words that follow `docker compose run --rm polyadic`.
    assert "without keys" in line or "without a key" in line
    assert f"polyadic keys add {image.data} NAME --all --write" in line

    added = ran(image, *said_in_compose())
    assert added.returncode == 0, added.stderr
    [key] = added.stdout.split()
    with up(image) as server:
        port = server.port
        assert image.health(port).returncode == 0
        with client_of(port) as anybody:
            assert anybody.get("/v1/workspaces").status_code == 401
        with client_of(port, key) as client:
            make(client, "letters", ADA, BABBAGE)
            answer = client.post("/v1/workspaces/letters/query", json={"question": QUESTION}).json()
            assert answer["citations"][0]["place"]["quote"] in ADA
        assert server.end() == 0
    assert image.health(port).returncode != 0

    # Another container over the same volume goes on.
    with up(image) as server, client_of(server.port, key) as client:
        assert client.get("/v1/workspaces/letters").json()["counts"]["documents"] == 2
        assert server.end() == 0


def test_image_runs_its_own_installed_package(image: Image) -> None:
    """Not the one that these tests run, which lies in the sources."""
    code = "import polyadic; print(polyadic.__file__)"
    python = image.place / "opt/polyadic/bin/python"
    process = subprocess.run([str(python), "-I", "-c", code], capture_output=True, text=True, check=True)
    assert Path(process.stdout.strip()).is_relative_to(image.place)


def test_container_writes_only_to_the_volume_as_its_user(image: Image) -> None:
    if not image.is_its_user:
        pytest.skip("nobody else can be become here, or no Python be run that others may run")
    ran(image, *said_in_compose())
    user = int(image.user[0])
    assert {file.stat().st_uid for file in image.data.rglob("*")} == {user}
    others = [file for file in (image.place / "opt").rglob("*") if file.lstat().st_uid == user]
    assert others == []


def test_image_contains_nothing_of_the_build_machine(image: Image) -> None:
    [installed] = (image.place / "opt/polyadic/lib").glob("python*/site-packages/polyadic")
    names = {file.name for file in installed.rglob("*")}
    assert "py.typed" in names and not names & {"tests", ".git", ".env", "demo-workspace", "store.sqlite"}
    assert not [variable for variable in image.environment if "KEY" in variable]
    assert os.environ.get("HOME") not in image.environment.values()
