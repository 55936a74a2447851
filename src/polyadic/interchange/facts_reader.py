"""Read facts from JSON lines: one fact, or the facts of one document, per line (docs/interchange.md).

A file is read in two passes. The first checks every line before anything changes and records line offsets, so the lines
of a document need not be adjacent. The second holds the lines of one document at a time.
"""

import re
from array import array
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, BinaryIO

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import from_json

from polyadic.interchange.chunk_alignment import NAME
from polyadic.interchange.document_schema import EntityFields, EvidenceFields
from polyadic.interchange.validation import (
    EntityScore,
    FactScore,
    Identifier,
    InvalidFile,
    Name,
    Text,
    validation_error,
)
from polyadic.model import identity

LONGEST_LINE = 50_000_000
_LONGEST_REFERENCE = 1_000
_NOT_IN_A_NAME = re.compile("[\x00-\x1f\x7f-\x9f]")


class _LenientModel(BaseModel):
    """Model that accepts unknown fields; they are counted as not kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

    @property
    def fields_not_kept(self) -> list[str]:
        return list(self.model_extra or ())


class EntityLine(EntityFields, _LenientModel):
    score: EntityScore = 50.0


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class FactLine(EvidenceFields, _LenientModel):
    score: FactScore = 5.0
    entities: list[Annotated[EntityLine, BeforeValidator(_named)]] = Field(default_factory=list)
    spans: list[Annotated[list[int], Field(min_length=2, max_length=2)]] = Field(default_factory=list)
    extractor: Name = NAME


class FactsLine(_LenientModel):
    """Facts of one document, which ``source``, ``document``, ``_id`` or ``title`` names; the first one given wins."""

    source: Text = ""
    document: Identifier = ""
    id: Identifier = Field("", alias="_id")
    title: Text = ""
    facts: list[FactLine]

    @property
    def is_named(self) -> bool:
        return bool(self._name)

    @property
    def _name(self) -> str:
        return self.source or str(self.document) or str(self.id) or self.title

    @property
    def reference(self) -> str:
        """Name of the document; for facts without one, a digest of their texts."""
        return self._name or identity.digest("facts", *(identity.normal_text(fact.text) for fact in self.facts))

    @model_validator(mode="after")
    def _can_be_named(self) -> "FactsLine":
        if len(self.reference) > _LONGEST_REFERENCE or _NOT_IN_A_NAME.search(self.reference):
            raise ValueError("the name of its document is too long or holds control characters")
        return self


_DOCUMENT_KEYS = [info.alias or name for name, info in FactsLine.model_fields.items() if name != "facts"]


@dataclass(slots=True)
class FactLines:
    """Index of a facts file: the offsets of each document's lines, in file order."""

    file: BinaryIO
    name: str
    problems: Counter[str]
    offsets: dict[str, "array[int]"] = field(default_factory=dict)

    def check(self) -> None:
        """Check every line and index the file.

        Raises
        ------
        InvalidFile
            A line is invalid; the message says which and why.
        """
        self.file.seek(0)
        number = offset = 0
        while data := self.file.readline(LONGEST_LINE + 1):
            number += 1
            if data.strip():
                line = self._parsed(data, f"{self.name}, line {number}")
                self._note(line)
                self.offsets.setdefault(line.reference, array("q")).append(offset)
            offset += len(data)
        if not self.offsets:
            raise InvalidFile(f"{self.name} holds no facts", "write one JSON object per line")

    def of(self, *references: str) -> Iterator[FactsLine]:
        """Iterate over the lines with any of these document names, in file order."""
        for offset in sorted(offset for reference in references for offset in self.offsets[reference]):
            self.file.seek(offset)
            yield self._parsed(self.file.readline(LONGEST_LINE + 1), self.name)

    def _parsed(self, data: bytes, where: str) -> FactsLine:
        if len(data) > LONGEST_LINE:
            raise InvalidFile(
                f"{where}: longer than {LONGEST_LINE // 1_000_000} MB", "write one fact or document per line"
            )
        value: Any = None
        try:
            value = from_json(data.removeprefix(BOM_UTF8), allow_inf_nan=False)
            line = FactsLine.model_validate(_as_document(value))
            for fact in line.facts:
                fact.evidence()
        except ValidationError as error:
            # The author of a single-fact line wrote no "facts" list, so the path omits it.
            reason = (
                validation_error(error) if "facts" in value else validation_error(error).replace("facts[0].", "", 1)
            )
            raise InvalidFile(f"{where}: {reason}", "nothing was imported") from error
        except ValueError as error:
            raise InvalidFile(f"{where}: {error}", "nothing was imported") from error
        return line

    def _note(self, line: FactsLine) -> None:
        for item in (line, *line.facts, *(entity for fact in line.facts for entity in fact.entities)):
            self.problems.update(f"field not kept: {name[:60]}" for name in item.fields_not_kept)


def _as_document(value: Any) -> Any:
    """Wrap a single-fact line in a document with that fact."""
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    if "facts" in value:
        return value
    document = {key: value[key] for key in _DOCUMENT_KEYS if key in value}
    return document | {"facts": [{key: field_value for key, field_value in value.items() if key not in document}]}
