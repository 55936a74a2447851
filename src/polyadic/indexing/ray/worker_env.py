"""What a command finds around it that its workers on other hosts need as well."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from polyadic.config import Settings
from polyadic.llm.prompts.library import FOLDER

_OF_POSTGRES = "PG"
_ALWAYS = ("OPENAI_BASE_URL",)


@dataclass(frozen=True, slots=True)
class WorkerEnvironment:
    """The environment variables that hold keys, addresses and PostgreSQL's connection; the workspace's own prompts.

    Workers get it as an argument, never as part of a job's runtime environment, which Ray shows and logs; nor does it
    tell what it holds when it is printed.
    """

    variables: Mapping[str, str] = field(repr=False)
    prompts: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, folder: Path) -> Self:
        """Those of this process; ``folder`` is where a workspace's prompts are looked for."""
        named = {settings.model.key_variable, settings.embedding.key_variable, *_ALWAYS}
        found = {name: value for name, value in os.environ.items() if name in named or name.startswith(_OF_POSTGRES)}
        own = sorted((folder / FOLDER).glob("*.txt"))
        return cls(found, {file.name: file.read_text(encoding="utf-8-sig") for file in own})

    def enter(self) -> None:
        """Make its variables those of this process."""
        os.environ.update(self.variables)

    def put_prompts(self, folder: Path) -> None:
        """Write the prompts to where a workspace in this folder has its own."""
        own = folder / FOLDER
        own.mkdir()
        for name, text in self.prompts.items():
            (own / name).write_text(text, encoding="utf-8")
