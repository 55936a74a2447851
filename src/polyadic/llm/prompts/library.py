"""Versioned prompts, one text file each; a workspace may override them.

A file begins with its version, alone on a line. A line ``reply: text`` may follow: the reply is not in JSON, so the
endpoint is not asked for JSON. The messages come next, each after a line ``=== system`` or ``=== user``; ``$name`` is a
placeholder.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

from polyadic.errors import SettingsError
from polyadic.llm.language_model import ChatMessage
from polyadic.model.identity import digest

FOLDER = "prompts"
"""The folder inside a workspace for its own prompts."""

_RUBRICS = (
    "judge/correctness",
    "judge/relevance",
    "judge/factuality",
    "judge/comprehensiveness",
    "judge/knowledgeability",
    "judge/logical_coherence",
    "judge/diversity",
)

NAMES = (
    "extract",
    "glean",
    "answer",
    "answer_think",
    "answer_alone",
    "check_claims",
    "follow_up",
    "question_entities",
    "plan_steps",
    "answer_step",
    "next_queries",
    "same_entity",
    "make_question",
    "summarize_cluster",
    "report_community",
    "read_page",
    "describe_picture",
    "judge/comparison",
    "judge/generation",
    *_RUBRICS,
)

PAPER = ("extract", "question_entities", "answer_think", "summarize_cluster", "judge/generation", *_RUBRICS)
"""Prompts of the set ``paper``: structured as those of HyperGraphRAG and HiRAG, in our own words."""

PromptSet = Literal["default", "paper"]
SETS: Mapping[PromptSet, tuple[str, ...]] = {"default": NAMES, "paper": PAPER}
"""Prompt sets, each with the names of its prompts; prompts that a set lacks are those of the default set."""

# Placeholders that may take the place of a required one: the passage as running text for its numbered sentences.
_ALTERNATIVES = {"sentences": "text"}
_PLAIN_TEXT = "reply: text"
_PART = re.compile(r"^=== (system|user)[ \t]*\n", re.MULTILINE)
_LONGEST_VERSION = 40
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt; ``parts`` are the roles and texts of its messages, ``asks_for_json`` whether the reply is in JSON."""

    name: str
    version: str
    parts: tuple[tuple[str, Template], ...]
    asks_for_json: bool = True

    @property
    def asks_for_sentences(self) -> bool:
        """Whether facts are to cite numbered sentences, as in JSON replies; in the papers' formats they cannot."""
        return self.asks_for_json and any("sentences" in text.get_identifiers() for _, text in self.parts)

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that change with any change of the text."""
        return digest("prompt", *(part for role, text in self.parts for part in (role, text.template)))[:8]

    def messages(self, **values: str) -> tuple[ChatMessage, ...]:
        """Fill in the placeholders and return the messages; blank lines around an empty value are collapsed."""
        filled = ((role, _collapse_blank_lines(text.substitute(values)).strip()) for role, text in self.parts)
        return tuple(ChatMessage("system" if role == "system" else "user", text) for role, text in filled)


def _collapse_blank_lines(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text


class PromptLibrary:
    """Prompts by name.

    Parameters
    ----------
    folder
        A workspace; files in its ``prompts`` folder, such as ``prompts/extract.txt``, override the built-in prompts.

    >>> PromptLibrary().get("follow_up").version
    'follow-up-1'
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder / FOLDER if folder else None

    def get(self, name: str) -> Prompt:
        """Return a prompt.

        Raises
        ------
        SettingsError
            The workspace's own version lacks a part or a required placeholder, or has an unknown one.
        """
        original = _parsed(name, original_text(name), "the prompt of Polyadic")
        own = self._folder / f"{name}.txt" if self._folder else None
        if own is None or not own.is_file():
            return original
        try:
            prompt = _parsed(name, own.read_text(encoding="utf-8-sig"), str(own))
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{own} cannot be read ({error})", "fix or delete the file") from error
        known, used = _placeholders(original), _placeholders(prompt)
        known |= {_ALTERNATIVES[name] for name in known if name in _ALTERNATIVES}
        if unknown := used - known:
            raise SettingsError(f"{own} uses ${min(unknown)}, which is no placeholder", f"known: {_listed(known)}")
        if missing := {name for name in _required(original) - used if _ALTERNATIVES.get(name) not in used}:
            raise SettingsError(f"{own} lacks ${min(missing)}", "without it the model would not see its input")
        return prompt


def original_text(name: str, prompt_set: PromptSet = "default") -> str:
    """Return the text of a prompt of a built-in set."""
    folder = files("polyadic.llm.prompts")
    folder = folder if prompt_set == "default" else folder.joinpath(prompt_set)
    return folder.joinpath(f"{name}.txt").read_text(encoding="utf-8")


def _parsed(name: str, text: str, where: str) -> Prompt:
    head, *rest = _PART.split(text)
    version = head.strip().removesuffix(_PLAIN_TEXT).strip()
    parts = tuple(zip(rest[::2], (Template(part) for part in rest[1::2]), strict=True))
    if not parts or any(not template.is_valid() for _, template in parts):
        reason = "no line === user" if not parts else "a $ without a name: write $$ for a literal dollar sign"
        raise SettingsError(
            f"{where} is not a valid prompt ({reason})", "polyadic init DIR --prompts writes the originals as examples"
        )
    if "\n" in version or not 0 < len(version) <= _LONGEST_VERSION:
        raise SettingsError(
            f"{where} does not begin with its version", "put a short one, such as mine-1, on its first line"
        )
    return Prompt(name, version, parts, not head.strip().endswith(_PLAIN_TEXT))


def _placeholders(prompt: Prompt) -> set[str]:
    return {name for _, template in prompt.parts for name in template.get_identifiers()}


def _required(prompt: Prompt) -> set[str]:
    """Return the required placeholders: those of the last message, which holds the input."""
    return set(prompt.parts[-1][1].get_identifiers()) - {"title", "before"}


def _listed(names: set[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(names))
