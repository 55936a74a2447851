"""Detect boilerplate sentences: copyright notices, licence text, status notes, contents lines and captions."""

import re
from enum import StrEnum


class BoilerplateSentence(StrEnum):
    """Kind of boilerplate sentence."""

    COPYRIGHT = "copyright notice"
    LICENCE = "licence text"
    STATUS = "status of a document"
    CONTENTS = "line of a table of contents"
    CAPTION = "caption"


# Number of characters examined: the wording is at the beginning of a sentence.
_MAX_EXAMINED = 400

_COPYRIGHT = re.compile(
    r"(?:copyright|\(c\)|©|&copy;)\s{0,3}(?:\(c\)|©|&copy;)?\s{0,3}(?:by\s)?(?:\S{1,20}\s){0,3}?(?:19|20)\d\d\b"
    r"|^\W{0,4}(?:copyright\s{1,3}(?:\(c\)|©)|©)\s{0,3}\S"
    r"|\ball rights reserved\b|alle rechte vorbehalten|todos los derechos reservados|tous droits réservés"
    r"|tutti i diritti riservati|todos os direitos reservados|版权所有|著作権所有"
    r"|\bspdx-license-identifier\b",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"^\W{0,4}permission (?:is hereby granted|to use, copy, modify)"
    r"|^\W{0,4}redistributions? (?:and use )?(?:in|of) (?:source|binary)"
    r"|\b(?:software|program|library|work|document) is (?:provided|distributed) .{0,60}?"
    r"(?:as[ -]is|without any warranty|hope that it will be useful)"
    r"|\b(?:is|are) (?:free software[;:,] you can redistribute|licensed under the (?:apache|mit|bsd|gnu|mozilla))"
    r"|^\W{0,4}(?:licensed|released|distributed) under (?:the )?(?:terms of )?(?:the )?[\w .-]{0,40}?"
    r"(?:licen[cs]e|gpl\b)"
    r"|\byou should have received a copy of the gnu"
    r"|\b(?:above|this) copyright notice (?:and|,)"
    r"|\bin no event shall .{0,80}?\bliable\b"
    r"|^\W{0,4}without limitation the rights to use, copy, modify"
    r"|\bpermission is granted to copy, distribute and/or modify this document\b"
    r"|\bcode components extracted from this document must include\b",
    re.IGNORECASE | re.DOTALL,
)
_STATUS = re.compile(
    r"^(?:network working group|internet engineering task force|internet architecture board)\b.{0,200}\bcategory:"
    r"|^\W{0,4}(?:this is an internet standards track"
    r"|this document is (?:not an internet standards|subject to bcp 78|a product of the internet|an internet[- ]draft)"
    r"|this (?:memo|rfc|document) provides information for the internet"
    r"|this (?:memo|rfc|document) specifies an? (?:iab|internet) standards? track"
    r"|this (?:memo|rfc|document) defines an experimental protocol for the internet"
    r"|distribution of this (?:memo|document) is unlimited"
    r"|it (?:represents|has received) (?:the consensus|public review)"
    r"|information about the current status of this document"
    r"|please review these documents carefully"
    r"|please (?:see|refer to) the current edition of the)"
    r"|\bbcp 78 and the ietf trust's legal provisions\b|\bsimplified bsd license\b"
    r"|\bapproved for publication by the internet engineering steering group\b",
    re.IGNORECASE,
)
# Characters of a page number, and the minimum number of leader dots before it.
_PAGE_NUMBER = "0123456789ivxlcIVXLC"
_MIN_DOTS, _LEADER_CHARACTERS = 5, 10
_CAPTION = re.compile(
    r"(?:figure|fig\.|table|listing|exhibit|illustration|abbildung|abb\.|tabelle|figura|tabla|tableau|tabella|图|表|図)"
    r"\s{0,2}\d{1,3}(?:[.-]\d{1,3}){0,3}\s?(?:[.:：–—-]\s|$|\s[^\W\da-z])",
    re.IGNORECASE,
)
# A caption is short; "Table 3 shows that ..." is a sentence.
_MAX_CAPTION = 160
_CAPTION_IN_PROSE = re.compile(r"\S+\s\S+\s(?-i:[a-z])")


def boilerplate(sentence: str) -> BoilerplateSentence | None:
    """Classify a sentence or short paragraph as boilerplate by its wording; None if it is none.

    Parameters
    ----------
    sentence
        Text with white space folded. Licences are full of such wording, so use the result to rank sentences lower, not
        to drop them.

    >>> boilerplate("Copyright (C) The Internet Society (1998). All Rights Reserved."), boilerplate("Ada wrote notes.")
    (<BoilerplateSentence.COPYRIGHT: 'copyright notice'>, None)
    >>> boilerplate("4.1 Messages . . . . . . . . 22").value, boilerplate("Figure 2: The engine").value
    ('line of a table of contents', 'caption')
    """
    beginning = sentence[:_MAX_EXAMINED]
    if is_contents_line(sentence):
        return BoilerplateSentence.CONTENTS
    if is_caption(sentence):
        return BoilerplateSentence.CAPTION
    kinds = (
        (BoilerplateSentence.COPYRIGHT, _COPYRIGHT),
        (BoilerplateSentence.STATUS, _STATUS),
        (BoilerplateSentence.LICENCE, _LICENCE),
    )
    return next((kind for kind, wording in kinds if wording.search(beginning)), None)


def is_contents_line(line: str) -> bool:
    """Return whether a line has leader dots and a page number: "1.2 Related Work . . . . . . 4".

    >>> is_contents_line("1.2 Related Work . . . . . . 4"), is_contents_line("And so on ...")
    (True, False)
    """
    leader = line.rstrip().rstrip(_PAGE_NUMBER).rstrip()[-_LEADER_CHARACTERS:].replace(" ", "").replace("…", "...")
    return len(leader) >= _MIN_DOTS and not leader.strip(".")


def is_caption(line: str) -> bool:
    """Return whether a line is the caption of a figure or table.

    >>> is_caption("Table 3. Message types"), is_caption("Table 3 shows the types.")
    (True, False)
    """
    found = _CAPTION.match(line)
    return found is not None and len(line) <= _MAX_CAPTION and not _CAPTION_IN_PROSE.match(line)
