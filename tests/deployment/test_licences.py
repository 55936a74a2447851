"""What the package installs is under permissive licences."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
_PERMISSIVE = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|Unlicense|0BSD|HPND|CC0|Public Domain|MPL|Mozilla)\b"
    r"|Redistribution and use in source",
    re.IGNORECASE,
)
_COPYLEFT = re.compile(r"\b(?:A?GPL|GNU (?:Affero )?General Public)", re.IGNORECASE)
# Linked dynamically, and only with the extra `postgres`.
_LESSER = {"psycopg", "psycopg-binary", "psycopg-pool"}
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


def licence_of(name: str) -> str:
    """What a package says of its licence; of a long text the beginning."""
    known = metadata(name).json
    stated = [known.get("license_expression"), known.get("license"), *known.get("classifier", ())]
    return " ".join(str(one) for one in stated if one and not str(one).startswith("Topic"))[:1_000]


@pytest.mark.parametrize("requirements", ["requirements.txt", "requirements-serve.txt"])
def test_every_dependency_is_permissive(requirements: str) -> None:
    names = _PINNED.findall((PROJECT / requirements).read_text(encoding="utf-8"))
    assert len(names) > 20
    offending = {}
    for name in names:
        try:
            licence = licence_of(name)
        except PackageNotFoundError:
            # Of another platform.
            continue
        if name not in _LESSER and (_COPYLEFT.search(licence) or not _PERMISSIVE.search(licence)):
            offending[name] = licence
    assert not offending
