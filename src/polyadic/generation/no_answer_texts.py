"""Fixed answer texts in the language of the question."""

_NO_ANSWER = {
    "en": "Nothing in these documents answers that.",
    "de": "Nichts in diesen Dokumenten beantwortet das.",
    "es": "Nada en estos documentos responde a eso.",
    "fr": "Rien dans ces documents ne répond à cette question.",
    "it": "Nulla in questi documenti risponde a questa domanda.",
    "pt": "Nada nestes documentos responde a isso.",
    "nl": "Niets in deze documenten beantwoordt dat.",
    "ca": "Res en aquests documents no respon a això.",
    "sv": "Inget i dessa dokument besvarar det.",
    "da": "Intet i disse dokumenter besvarer det.",
    "no": "Ingenting i disse dokumentene besvarer det.",
    "fi": "Mikään näissä asiakirjoissa ei vastaa siihen.",
    "pl": "Nic w tych dokumentach na to nie odpowiada.",
    "cs": "Nic v těchto dokumentech na to neodpovídá.",
    "tr": "Bu belgelerde buna yanıt veren bir şey yok.",
    "ru": "В этих документах нет ответа на этот вопрос.",
    "uk": "У цих документах немає відповіді на це запитання.",
    "zh": "这些文档中没有答案。",
    "ja": "これらの文書には答えがありません。",
    "ko": "이 문서들에는 그에 대한 답이 없습니다.",
    "ar": "لا يوجد في هذه المستندات ما يجيب عن ذلك.",
}


def no_answer(language: str) -> str:
    """Return the text for an unanswered question in a language (ISO 639-1); English for unknown languages.

    >>> no_answer("es"), no_answer("xx")
    ('Nada en estos documentos responde a eso.', 'Nothing in these documents answers that.')
    """
    return _NO_ANSWER.get(language, _NO_ANSWER["en"])


def is_no_answer(text: str) -> bool:
    """Return whether a text is one that :func:`no_answer` returns, in any language.

    >>> is_no_answer("Nichts in diesen Dokumenten beantwortet das."), is_no_answer("Nothing.")
    (True, False)
    """
    return text.strip() in _NO_ANSWER.values()
