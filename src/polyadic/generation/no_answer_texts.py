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
_PROBABLY_NO_ANSWER = {
    "en": "These documents probably do not answer that.",
    "de": "Diese Dokumente beantworten das wahrscheinlich nicht.",
    "es": "Es probable que estos documentos no respondan a eso.",
    "fr": "Ces documents ne répondent probablement pas à cette question.",
    "it": "Questi documenti probabilmente non rispondono a questa domanda.",
    "pt": "Estes documentos provavelmente não respondem a isso.",
    "nl": "Deze documenten beantwoorden dat waarschijnlijk niet.",
    "ca": "És probable que aquests documents no responguin a això.",
    "sv": "Dessa dokument besvarar det sannolikt inte.",
    "da": "Disse dokumenter besvarer det sandsynligvis ikke.",
    "no": "Disse dokumentene besvarer det sannsynligvis ikke.",
    "fi": "Nämä asiakirjat eivät todennäköisesti vastaa siihen.",
    "pl": "Te dokumenty prawdopodobnie na to nie odpowiadają.",
    "cs": "Tyto dokumenty na to pravděpodobně neodpovídají.",
    "tr": "Bu belgeler büyük olasılıkla buna yanıt vermiyor.",
    "ru": "Скорее всего, в этих документах нет ответа на этот вопрос.",
    "uk": "Найімовірніше, у цих документах немає відповіді на це запитання.",
    "zh": "这些文档中很可能没有答案。",
    "ja": "これらの文書にはおそらく答えがありません。",
    "ko": "이 문서들에는 아마 그에 대한 답이 없을 것입니다.",
    "ar": "على الأرجح لا يوجد في هذه المستندات ما يجيب عن ذلك.",
}


def no_answer(language: str) -> str:
    """Return the text for an unanswered question in a language (ISO 639-1); English for unknown languages.

    >>> no_answer("es"), no_answer("xx")
    ('Nada en estos documentos responde a eso.', 'Nothing in these documents answers that.')
    """
    return _NO_ANSWER.get(language, _NO_ANSWER["en"])


def probably_no_answer(language: str) -> str:
    """Return the text for a question that no retrieved sentence is likely to answer.

    >>> probably_no_answer("de")
    'Diese Dokumente beantworten das wahrscheinlich nicht.'
    """
    return _PROBABLY_NO_ANSWER.get(language, _PROBABLY_NO_ANSWER["en"])


def is_no_answer(text: str) -> bool:
    """Return whether a text is one that the functions above return, in any language.

    >>> is_no_answer("Nichts in diesen Dokumenten beantwortet das."), is_no_answer("Nothing.")
    (True, False)
    """
    return text.strip() in {*_NO_ANSWER.values(), *_PROBABLY_NO_ANSWER.values()}
