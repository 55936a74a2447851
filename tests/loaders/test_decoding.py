"""Text files in other encodings than UTF-8: detected, read, and named in the report."""

import asyncio
from itertools import product
from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
from tests.support.indexers import indexer

GERMAN = "Der alte Müller sagte: „Ich möchte nicht über die Brücke gehen“ – und blieb. Das Café schließt um fünf.\n"
FRENCH = "L'été dernier, nous avons déjeuné à la campagne. Le garçon était très élégant, où est-il allé ?\n"
POLISH = "Warszawa jest stolicą Polski i największym miastem kraju. Leży nad Wisłą, a żyje w niej dużo ludzi.\n"
TURKISH = "Türkiye'nin başkenti Ankara'dır. İstanbul ise en kalabalık şehirdir. Işık ağaçtan geçer.\n"
RUSSIAN = "Москва является столицей России. Первое упоминание о городе относится к 1147 году.\n"
JAPANESE = "東京は日本の首都であり、世界最大の都市の一つです。人口は約千四百万人です。\n"
CHINESE = "北京是中华人民共和国的首都，也是全国的政治和文化中心。人口约两千一百万。\n"
KOREAN = "서울은 대한민국의 수도이며 최대 도시이다. 인구는 약 천만 명이다.\n"
GREEK = "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας.\n"
ENGLISH = "The engine was never built in full. It cost “too much”.\n"

CASES = [
    (GERMAN, "cp1252", "windows-1252"),
    (FRENCH, "latin-1", "windows-1252"),
    (ENGLISH, "cp1252", "windows-1252"),
    (POLISH, "cp1250", "windows-1250"),
    (TURKISH, "cp1254", "windows-1254"),
    (GREEK, "cp1253", "windows-1253"),
    (RUSSIAN, "koi8-r", "KOI8-R"),
    (RUSSIAN, "cp1251", "windows-1251"),
    (JAPANESE, "shift_jis", "Shift-JIS"),
    (JAPANESE, "euc_jp", "EUC-JP"),
    (CHINESE, "gb18030", "GB18030"),
    (KOREAN, "euc_kr", "EUC-KR"),
    (GERMAN, "utf-16-le", "UTF-16-LE"),
    (CHINESE, "utf-16-be", "UTF-16-BE"),
    (RUSSIAN, "utf-32-le", "UTF-32-LE"),
]


def read(path: Path) -> list[Document]:
    found = list(read_documents([path], ReadingSettings()))
    documents = [one for one in found if isinstance(one, Document)]
    assert documents == found
    return documents


@pytest.mark.parametrize(("text", "codec", "name"), CASES)
def test_encodings_are_detected_and_named(text: str, codec: str, name: str, tmp_path: Path) -> None:
    for times, suffix in product((1, 20), (".txt", ".md", ".log", "")):
        file = tmp_path / f"notes{suffix}"
        file.write_bytes((text * times).encode(codec))
        [document] = read(file)
        assert (times, suffix, document.text, document.encoding) == (times, suffix, text * times, name)


@pytest.mark.parametrize(("text", "codec", "name"), CASES)
def test_rows_of_tables_are_read_in_the_encoding_that_is_detected(
    text: str, codec: str, name: str, tmp_path: Path
) -> None:
    line = text.strip().replace('"', "")
    rows = "".join(f'{number}\t"{line}"\n' for number in range(1, 4))
    (tmp_path / "notes.tsv").write_bytes(f"id\ttext\n{rows}".encode(codec))
    documents = read(tmp_path)
    assert [document.text for document in documents] == [line] * 3
    assert [document.encoding for document in documents] == [name, "", ""]


def test_ascii_with_a_few_other_characters_far_from_the_beginning(tmp_path: Path) -> None:
    text = "Plain words in a long file.\n" * 10_000 + "The price is 5 € – or so.\n"
    (tmp_path / "notes.txt").write_bytes(text.encode("cp1252"))
    [document] = read(tmp_path)
    assert (document.text, document.encoding) == (text, "windows-1252")


def test_the_report_counts_files_by_encoding(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_bytes(GERMAN.encode("cp1252") + b"%d" % number)
    (tmp_path / "rows.csv").write_bytes(f"text\n{FRENCH}{FRENCH}".replace(",", "").encode("cp1252"))
    (tmp_path / "utf-8.txt").write_text(GERMAN)
    (tmp_path / "ascii.txt").write_text("Ada met Charles.")
    with indexer(tmp_path / ".kb") as work:
        report = asyncio.run(work.index(read_documents([tmp_path], ReadingSettings())))
    assert report.encodings == {"windows-1252": 4}
    assert (report.added, report.skipped) == (7, [])
