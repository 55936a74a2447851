"""What says how a document may be used, and not what it is about."""

import pytest

from polyadic.text.boilerplate_sentences import BoilerplateSentence, boilerplate


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (
            "Copyright (c) 2012 IETF Trust and the persons identified as the document authors.",
            BoilerplateSentence.COPYRIGHT,
        ),
        ("© Nordwind GmbH. Alle Rechte vorbehalten.", BoilerplateSentence.COPYRIGHT),
        ("All rights reserved.", BoilerplateSentence.COPYRIGHT),
        ('Licensed under the Apache License, Version 2.0 (the "License").', BoilerplateSentence.LICENCE),
        (
            "This program is distributed in the hope that it will be useful, but WITHOUT ANY",
            BoilerplateSentence.LICENCE,
        ),
        (
            "Redistribution and use in source and binary forms, with or without modification",
            BoilerplateSentence.LICENCE,
        ),
        ("Distribution of this memo is unlimited.", BoilerplateSentence.STATUS),
        ("This is an Internet Standards Track document.", BoilerplateSentence.STATUS),
        ("3.1 Client-server interaction ................ 13", BoilerplateSentence.CONTENTS),
        ("Introduction . . . . . . . . . 2", BoilerplateSentence.CONTENTS),
        ("Figure 2: Format of the 'flags' field", BoilerplateSentence.CAPTION),
        ("Tabelle 4. Preise", BoilerplateSentence.CAPTION),
    ],
)
def test_boilerplate_is_recognized(sentence: str, kind: BoilerplateSentence) -> None:
    assert boilerplate(sentence) is kind


@pytest.mark.parametrize(
    "sentence",
    [
        "The copyright of the novel passed to her daughter.",
        "(c) Determining that an incoming segment is expected.",
        "Figure 2 shows the flags that a client sets.",
        "Table 3 of the annex lists the fees.",
        "Each contributor grants you a patent license.",
        "They said ... and then nothing.",
        "The written offer is valid for at least three years.",
    ],
)
def test_content_is_not_boilerplate(sentence: str) -> None:
    assert boilerplate(sentence) is None
