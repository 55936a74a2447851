"""Validation rules for imported values, and one-line messages for violations."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from polyadic.errors import PolyadicError

# Scores are summed in hundredths, so a smaller one would count as zero.
LEAST_SCORE = 0.01
_LONGEST_REASON = 200
_LARGEST = 10**100
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)


class InvalidFile(PolyadicError):
    """A file does not conform to its format; nothing was imported."""


class StrictModel(BaseModel):
    """Model without type conversions and unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _is_text(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character")
    return text


def _is_name(text: str) -> str:
    if not _is_text(text).strip():
        raise ValueError("it is blank")
    return text


def _is_date(text: str) -> str:
    if text and not _DATE.fullmatch(text):
        raise ValueError("it is no date such as 1843, 1843-10 or 1843-10-02")
    return text


def _identifier(value: object) -> str | int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("an identifier must be a string or a whole number")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("an identifier with so many digits must be a string")
    return value


Identifier = Annotated[str | int, PlainValidator(_identifier)]
Text = Annotated[str, AfterValidator(_is_text)]
Name = Annotated[str, AfterValidator(_is_name)]
Date = Annotated[str, AfterValidator(_is_date)]
Qualifiers = Annotated[dict[Name, Text], Field(max_length=100)]
DocumentId = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
FactScore = Annotated[float, Field(ge=LEAST_SCORE, le=10)]
EntityScore = Annotated[float, Field(ge=LEAST_SCORE, le=100)]


def validation_error(problem: ValidationError) -> str:
    """Format the first validation error and its location.

    >>> class Point(StrictModel):
    ...     at: list[float]
    >>> try:
    ...     Point.model_validate({"at": [1.0, "x"]})
    ... except ValidationError as error:
    ...     print(validation_error(error))
    at[1]: input should be a valid number
    """
    first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
    message = "this field is not part of the format" if first["type"] == "extra_forbidden" else first["msg"]
    shortened = " ".join(message.removeprefix("Value error, ").split())[:_LONGEST_REASON]
    reason = f"{shortened[:1].lower()}{shortened[1:]}" if not shortened.startswith("JSON") else shortened
    where = _path(first["loc"])
    return f"{where}: {reason}" if where else reason


def _path(location: Sequence[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part[:_LONGEST_REASON]}" for part in location]
    return "".join(parts).removeprefix(".")
