"""The Dockerfile, as far as this project's uses the language: stages of instructions, in shell or in exec form."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_ARGUMENT = re.compile(r"\$\{(\w+)\}")
_CONTINUED = re.compile(r"\\\n")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name in capitals, and what follows it on one line."""

    name: str
    said: str

    @property
    def words(self) -> list[str]:
        """The words of the exec form, or of a list without quotes."""
        words: list[str] = json.loads(self.said) if self.said.startswith("[") else self.said.split()
        return words

    @property
    def options(self) -> dict[str, str]:
        """``--name=value`` before everything else."""
        given = (word.removeprefix("--").split("=", 1) for word in self.said.split() if word.startswith("--"))
        return dict(given)


@dataclass(frozen=True)
class Stage:
    """What one FROM begins."""

    base: str
    name: str
    instructions: tuple[Instruction, ...]

    def all(self, name: str) -> list[Instruction]:
        return [one for one in self.instructions if one.name == name]

    def one(self, name: str) -> Instruction:
        """The instruction that there must be exactly once."""
        [found] = self.all(name)
        return found

    @property
    def environment(self) -> dict[str, str]:
        return dict(word.split("=", 1) for one in self.all("ENV") for word in one.words)


def health_command(stage: Stage) -> list[str]:
    """What the health check runs, in the exec form."""
    _, _, said = stage.one("HEALTHCHECK").said.partition("CMD ")
    words: list[str] = json.loads(said)
    return words


def stages() -> list[Stage]:
    """The stages of the Dockerfile; in FROM, arguments have their defaults."""
    arguments: dict[str, str] = {}
    found: list[tuple[str, list[Instruction]]] = []
    for one in _instructions():
        if one.name == "ARG":
            name, _, default = one.said.partition("=")
            arguments[name] = default
        elif one.name == "FROM":
            said = _ARGUMENT.sub(lambda match: arguments[match[1]], one.said)
            found.append((said, []))
        else:
            found[-1][1].append(one)
    split = [(*re.split(r" AS ", said), "")[:2] for said, _ in found]
    return [Stage(base, name, tuple(given)) for (base, name), (_, given) in zip(split, found, strict=True)]


def _instructions() -> Iterator[Instruction]:
    lines = (ROOT / "Dockerfile").read_text().splitlines(keepends=True)
    text = _CONTINUED.sub(" ", "".join(line for line in lines if not line.startswith("#")))
    for line in text.splitlines():
        if line.strip():
            name, said = line.split(None, 1)
            assert name.isupper(), line
            yield Instruction(name, " ".join(said.split()))
