"""One entry: from the text of a reply to its statements."""

from polyadic.llm.replies.cleaning import undressed
from polyadic.llm.replies.delimited import canonical, first_record, may_hold_records, read_delimited
from polyadic.llm.replies.json_records import read_json
from polyadic.llm.replies.json_repair import first_value
from polyadic.llm.replies.model import ParsedReply, Problems
from polyadic.llm.replies.validation import DraftFact, kept

LONGEST_REPLY = 400_000


def read_reply(text: str) -> ParsedReply:
    """All that a reply states, in JSON or in the delimiter format. Never raises; what is not kept is counted.

    Characters beyond ``LONGEST_REPLY`` are cut off and counted, which bounds time and memory.

    >>> said = '("hyper-relation"<|>"Ada wrote Notes."<|>8)##("entity"<|>"Ada"<|>"person"<|>"A writer"<|>90)'
    >>> read_reply(said).stated
    (Stated(text='Ada wrote Notes.', score=8.0, participants=(Participation(name='Ada', type='person', \
description='A writer', score=90.0),), sentences=()),)
    >>> dict(read_reply("I cannot help with that.").problems)
    {'no facts in the reply': 1}
    """
    problems = Problems()
    if len(text) > LONGEST_REPLY:
        problems["reply too long, cut"] += 1
    bare, thinking = undressed(text[:LONGEST_REPLY])
    if thinking:
        problems["reply cut off"] += 1
    drafts, empty = _drafts(bare, problems)
    stated = kept(drafts, problems)
    if not stated and not empty:
        problems["no facts in the reply"] += 1
    return ParsedReply(stated, problems)


def _drafts(bare: str, problems: Problems) -> tuple[list[DraftFact], bool]:
    """What either format finds, and whether the reply says on purpose that there is nothing."""
    value = first_value(bare)
    delimited = canonical(bare) if value is None or may_hold_records(bare) else ""
    record = first_record(delimited)
    if value is not None and (record is None or value < record):
        told = Problems()
        drafts, empty = read_json(bare, told)
        if drafts or record is None:
            problems.update(told)
            return drafts, empty
    return read_delimited(delimited, problems)
