"""An engine implements few reads; what can be written once for all engines is written above them."""

from polyadic.storage.reader import Reader

_MOST = 24


def test_reader_has_few_methods_all_documented() -> None:
    members = {name: member for name, member in vars(Reader).items() if not name.startswith("_")}
    assert len(members) <= _MOST
    assert [name for name, member in members.items() if not member.__doc__] == []
