"""Environment of the calling process that workers on other hosts need."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from polyadic.config import Settings
from polyadic.llm.prompts.library import FOLDER

_PG_PREFIX = "PG"
_VARIABLES = ("OPENAI_BASE_URL",)


@dataclass(frozen=True, slots=True)
class WorkerEnvironment:
    """Environment variables with API keys, addresses and PostgreSQL connection settings, and the workspace's prompts.

    Workers get it as an argument, not in the job's runtime environment, which Ray displays and logs. Its values are not
    part of its ``repr``.
    """

    variables: Mapping[str, str] = field(repr=False)
    prompts: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, folder: Path) -> Self:
        """Collect the environment of this process, and the prompts of the workspace in ``folder``."""
        named = {settings.model.of_role("extraction").key_variable, settings.embedding.key_variable, *_VARIABLES}
        found = {name: value for name, value in os.environ.items() if name in named or name.startswith(_PG_PREFIX)}
        own = sorted((folder / FOLDER).glob("*.txt"))
        return cls(found, {file.name: file.read_text(encoding="utf-8-sig") for file in own})

    def enter(self) -> None:
        """Set the variables in this process."""
        os.environ.update(self.variables)

    def put_prompts(self, folder: Path) -> None:
        """Write the prompts to the prompt folder of a workspace in this folder."""
        own = folder / FOLDER
        own.mkdir()
        for name, text in self.prompts.items():
            (own / name).write_text(text, encoding="utf-8")
