"""Entry point for parsing the text of a reply into facts."""

from polyadic.llm.replies.cleaning import strip_wrappers
from polyadic.llm.replies.delimited_facts import canonical, first_record, may_hold_records, read_delimited
from polyadic.llm.replies.json_facts import read_json
from polyadic.llm.replies.json_repair import first_value
from polyadic.llm.replies.parsed_reply import ParsedReply, Problems
from polyadic.llm.replies.validation import DraftFact, kept

LONGEST_REPLY = 400_000


def read_reply(text: str) -> ParsedReply:
    """Parse all facts of a reply, in JSON or in the delimiter format; never raises.

    Dropped parts are counted. Text beyond ``LONGEST_REPLY`` characters is cut off, which bounds time and memory.

    >>> reply = '("hyper-relation"<|>"Ada wrote Notes."<|>8)##("entity"<|>"Ada"<|>"person"<|>"A writer"<|>90)'
    >>> read_reply(reply).stated
    (ParsedFact(text='Ada wrote Notes.', score=8.0, participants=(Participation(name='Ada', type='person', \
description='A writer', score=90.0, role='', value=''),), sentences=(), forms={}),)
    >>> dict(read_reply("I cannot help with that.").problems)
    {'no facts in the reply': 1}
    """
    problems = Problems()
    if len(text) > LONGEST_REPLY:
        problems["reply too long, cut"] += 1
    bare, thinking = strip_wrappers(text[:LONGEST_REPLY])
    if thinking:
        problems["reply cut off"] += 1
    drafts, empty, is_delimited = _drafts(bare, problems)
    stated = kept(drafts, problems)
    if not stated and not empty:
        problems["no facts in the reply"] += 1
    return ParsedReply(stated, problems, is_delimited)


def _drafts(bare: str, problems: Problems) -> tuple[list[DraftFact], bool, bool]:
    """Parse facts in either format; also return whether the reply states that there are none, and is delimited."""
    value = first_value(bare)
    delimited = canonical(bare) if value is None or may_hold_records(bare) else ""
    record = first_record(delimited)
    if value is not None and (record is None or value < record):
        json_problems = Problems()
        drafts, empty = read_json(bare, json_problems)
        if drafts or record is None:
            problems.update(json_problems)
            return drafts, empty, False
    return *read_delimited(delimited, problems), True
