"""An image made without Docker: a folder, in which the Dockerfile's own commands are run, and containers of it.

What stands for what: absolute paths of the image lie below a folder. The packages are not installed once more: those of
this environment are lent, of which a test sees to it that their versions are the pinned ones.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.deployment.dockerfile import ROOT, Instruction, Stage, health_command, stages

_PLACES = re.compile(r"/(?:opt/polyadic|build|data)(?=[/\s:;]|$)")
_LENT = sysconfig.get_path("purelib")
_MODEL = Path("polyadic", "models", "all-MiniLM-L6-v2")
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


@cache
def python_of(user: str, group: str) -> str | None:
    """A Python of this version that such a user can run with what is lent; None where nobody can become that user."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return None
    for place in (f"{sys.base_prefix}/bin", "/usr/local/bin", "/usr/bin"):
        python = f"{place}/{_PYTHON}"
        # By a shell, so that the right to run it is that of the user.
        trying = ["sh", "-c", f"test -r '{_LENT}/click' && exec {python} -c 'import ensurepip'"]
        if subprocess.run([*as_user(user, group), *trying], capture_output=True, check=False).returncode == 0:
            return python
    return None


def as_user(user: str, group: str) -> Sequence[str]:
    """What comes before a command that this user is to run, who may do nothing besides."""
    nothing = ("--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
    return ("setpriv", f"--reuid={user}", f"--regid={group}", *nothing)


@dataclass(frozen=True)
class Image:
    """Where an image lies, and its last stage."""

    place: Path
    stage: Stage

    @property
    def user(self) -> list[str]:
        """User and group, by number."""
        return self.stage.one("USER").said.split(":")

    @property
    def is_its_user(self) -> bool:
        """Whether its containers run as its user, or as whoever runs these tests."""
        return python_of(*self.user) is not None

    @property
    def data(self) -> Path:
        return self.place / "data"

    @property
    def environment(self) -> dict[str, str]:
        """That of a container, and nothing of this machine's."""
        path = f"{self.place / 'opt/polyadic/bin'}:/usr/bin:/bin"
        said = {name: _placed(value, self.place) for name, value in self.stage.environment.items()}
        return said | {"PATH": path, "LANG": "C.UTF-8"}

    def run(self, *arguments: str) -> list[str]:
        """What ``docker run IMAGE ARGUMENTS`` runs, as the image's user where that can be."""
        given = list(arguments) or self.stage.one("CMD").words
        [program, *rest] = [*self.stage.one("ENTRYPOINT").words, *given]
        return [*self._as_user(), self._path(program), *(_placed(word, self.place) for word in rest)]

    def health(self, port: int) -> subprocess.CompletedProcess[bytes]:
        """The health check, of a container that listens at this port."""
        [program, *rest] = health_command(self.stage)
        command = [*self._as_user(), self._path(program), *(word.replace("8765", str(port)) for word in rest)]
        return subprocess.run(command, env=self.environment, cwd=self.data, capture_output=True, check=False)

    def _path(self, program: str) -> str:
        return str(self.place / "opt/polyadic/bin" / program)

    def _as_user(self) -> Sequence[str]:
        return as_user(*self.user) if self.is_its_user else ()


def built(place: Path, weights: Path | None) -> Image:
    """Do what the Dockerfile says, in a folder.

    Parameters
    ----------
    place
        The folder.
    weights
        Those of the embedding model, as if they had been fetched; without them none are.
    """
    build, final = stages()
    image = Image(place, final)
    (place / "opt").mkdir()
    for one in build.instructions:
        _done(one, image, weights)
    # The second stage has what the first one made in the same place.
    assert [one.said for one in final.all("COPY")] == ["--from=build /opt/polyadic /opt/polyadic"]
    for one in final.all("RUN"):
        _done(one, image, weights)
    return image


def _done(one: Instruction, image: Image, weights: Path | None) -> None:
    place = image.place
    if one.name == "WORKDIR":
        Path(_placed(one.said, place)).mkdir(parents=True, exist_ok=True)
    elif one.name == "COPY":
        *sources, target = one.words
        for source in sources:
            _copy(ROOT / source, place / "build" / target)
    elif one.name == "RUN":
        _ran(one.said, image, weights)


def _ran(said: str, image: Image, weights: Path | None) -> None:
    place = image.place
    if "--require-hashes" in said:
        [lent] = (place / "opt/polyadic/lib").glob("python*/site-packages")
        (lent / "lent.pth").write_text(f"{_LENT}\n")
        return
    if "models fetch" in said:
        if weights is None:
            return
        shutil.copytree(weights, place / "opt/polyadic/cache" / _MODEL)
    if not image.is_its_user:
        said = re.sub(r" -[og] \d+", "", said)
    said = _placed(said, place)
    if said.startswith("python "):
        said = f"{python_of(*image.user) or sys.executable} {said.removeprefix('python ')}"
    ran = subprocess.run(["sh", "-ec", said], cwd=place / "build", capture_output=True, text=True, check=False)  # noqa: S607
    assert ran.returncode == 0, f"{said}\n{ran.stdout}{ran.stderr}"


def _copy(source: Path, target: Path) -> None:
    """As COPY does, without what .dockerignore keeps out below what it lets in."""
    if source.is_dir():
        unwanted = [line.removeprefix("**/") for line in (ROOT / ".dockerignore").read_text().splitlines()]
        shutil.copytree(source, target, ignore=lambda _, names: [n for n in names if _is_any(n, unwanted)])
    else:
        shutil.copy(source, target)


def _is_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns if pattern not in ("*", "") and pattern[0] != "!")


def _placed(said: str, place: Path) -> str:
    return _PLACES.sub(lambda match: f"{place}{match[0]}", said)
