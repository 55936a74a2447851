"""Configurations: settings with their comments, sections, and what is commented out."""

import asyncio
from pathlib import Path

import pytest

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings, ReadingSettings
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.loaders.formats.configuration import configuration_text
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# Ban time.\nbantime = 1w", "bantime = 1w: Ban time."),
        ("; Ban time,\n; as text.\nbantime=1w", "bantime=1w: Ban time,\nas text."),
        ("# Doubles it.\n#increment = true", "#increment = true: Doubles it."),
        ("# The homes.\n# dir=/home\n\na = 1", "#dir=/home: The homes.\n\na = 1"),
        ("# Range.\n# min = 1\n# max = 9", "#min = 1: Range.\n\n#max = 9: Range."),
        ("# As in:\n# a = 1\n\n# So\n# b = 2\n# is odd.", "As in:\n\n#a = 1\n\nSo\n\n#b = 2\n\nis odd."),
        ("# Name.\n# mode = fast.\n\na = 1", "Name.\n\n#mode = fast.\n\na = 1"),
        ("# The file.\n#\n# Units:\n# s = second\n\na = 1", "The file.\n\nUnits:\n\n#s = second\n\na = 1"),
        ("# The file.\n#\n# Units\n# s = second\n\na = 1", "The file.\n\nUnits\n\n#s = second\n\na = 1"),
        ("# A list.\n#ports =\nports = ssh", "#ports =: A list.\n\nports = ssh: A list."),
        ("# Of files.\n#\n# yes: all\nbackend = auto", "backend = auto: Of files.\n\nyes: all"),
        ("# For example:\n#\n# [sshd]\n# port = 22\n\nport = 1", "For example:\n\n#[sshd]\n\n#port = 22\n\nport = 1"),
        ("# Apart.\n\na = 1\nb = 2", "Apart.\n\na = 1\n\nb = 2"),
        ("# Of abusers.\n\n[recidive]\n\nbantime = 1w", "## [recidive]\n\nOf abusers.\n\nbantime = 1w"),
        ("# Rotate each week\nweekly\n", "weekly: Rotate each week"),
        ("path: /var/log # logs", "path: /var/log # logs"),
        ("# Where.\npaths = /a\n  /b\nn = 1", "Where.\n\n```ini\npaths = /a\n  /b\n```\n\nn = 1"),
        ("# Errors.\nregex = ^(?:\\[\\d+\\])?$", "Errors.\n\n```ini\nregex = ^(?:\\[\\d+\\])?$\n```"),
        ("service a {\n  # On.\n  #port = 1\n}", "```ini\nservice a {\n  # On.\n  #port = 1\n}\n```"),
        (
            "# ban is the time. So.\nban = 1m\n\n[a]\nban = 1w",
            "ban = 1m: ban is the time. So.\n\n## [a]\n\nban = 1w: ban is the time.",
        ),
        ("# Of the port.\nport = 1\n\n[a]\nport = 2", "port = 1: Of the port.\n\n## [a]\n\nport = 2"),
        ("#####\n## Mail\n#####", "Mail"),
    ],
)
def test_settings_are_read_with_their_comments(source: str, expected: str) -> None:
    assert configuration_text(source, "ini") == expected


def test_a_setting_is_a_fact_of_its_section(tmp_path: Path) -> None:
    path = tmp_path / "jail.conf"
    path.write_text("[sshd]\nfindtime = 10m\n\n[recidive]\n# Time of a ban.\nfindtime = 1d\n")
    (document,) = read_documents([path], ReadingSettings())
    assert isinstance(document, Document)
    extractor = SentenceExtractor("en")
    found = [
        evidence
        for chunk in chunk_document(document, ChunkingSettings())
        for evidence in asyncio.run(extractor.extract(document, chunk)).evidence
    ]
    assert [evidence.text for evidence in found] == [
        "sshd: findtime = 10m",
        "recidive: findtime = 1d: Time of a ban.",
    ]
    assert [[one.name for one in evidence.participants][:2] for evidence in found] == [
        ["sshd", "findtime"],
        ["recidive", "findtime"],
    ]
