"""Questions that refer to what was said before them are told from those that stand alone, in several languages."""

import pytest

from polyadic.text.anaphora import AnaphoricReference, reference

DEPENDENT = {
    "en": """
        Where was she born?
        Who built it?
        When was it launched?
        Which team did he play for?
        What is its capital?
        How long did that mission last?
        What happened after it landed?
        Who lived there?
        And when did it end?
        And when did the fire begin?
        Why?
        By whom?
        What happened next?
        Tell me more.
        Who was the first?
        Which is larger?
        What is the difference?
        Who replaced him?
        For which state was he elected to Congress?
        Who wrote these?
        Did NASA repair it?
        What is that?
        How many of them were there?
        """,
    "de": """
        Wo wurde sie geboren?
        Wie viele Bögen hat sie?
        Und wann starb er?
        Wer hat es gegründet?
        Von welcher Werft wurde es gebaut?
        Warum?
        Was ist ihre Hauptstadt?
        Wer war sein Lehrer?
        Wie lange dauerte dieser Flug?
        Wer wohnte dort?
        Wann war das?
        """,
    "es": """
        ¿Dónde murió?
        ¿Quién lo mandaba?
        ¿Y cuándo fue fundada?
        ¿Cuánto mide su torre?
        ¿Por qué?
        ¿Quién vivía allí?
        ¿Qué altura alcanza?
        ¿Cuándo la construyeron?
        ¿Quién escribió ese libro?
        """,
    "fr": """
        Où est-elle née ?
        Qui l'a conçu ?
        Et quand ?
        Quelle est sa capitale ?
        Pourquoi ?
        Combien de temps a duré cette mission ?
        Que s'est-il passé là ?
        Quand est-il mort ?
        """,
    "it": """
        Dove è nata?
        Chi l'ha costruita?
        E quando?
        Qual è la sua capitale?
        Perché?
        Quanto durò quella missione?
        Chi viveva lì?
        """,
    "pt": """
        Onde ela nasceu?
        E quando?
        Qual é a sua capital?
        Por quê?
        Quanto tempo durou essa missão?
        Quem fundou-o?
        Onde nasceu?
        """,
    "zh": """
        他出生在哪里？
        它有多少个桥孔？
        谁设计了它？
        那里有什么古树？
        她的第一部小说是什么？
        为什么？
        该桥建于哪一年？
        """,
    "ja": """
        彼はどこで生まれましたか？
        それはいつ建てられましたか？
        その高さは？
        なぜですか？
        誰がそれを設計しましたか？
        """,
}
ALONE = {
    "en": """
        What is the GDP of Brazil?
        What did Marie Curie do before she moved to Paris?
        Which country has the lowest GDP and what is its capital?
        What must the tenant do if he leaves?
        Can a landlord evict a tenant when he does not pay?
        Does the tenant get his deposit back?
        How long does it take to boil an egg?
        Is it legal to record a call?
        What are these documents about?
        Who may terminate this contract?
        How do I take the battery out and replace it?
        What is the name of the film that won the prize?
        Are there any exceptions to the rule?
        Which of those who applied were hired?
        How many moons are there in the solar system?
        Before he became president, where did Lincoln live?
        What is water made of?
        How do I reset the router?
        What does the key word SHOULD mean in an RFC?
        Skylab
        """,
    "de": """
        Was muss der Mieter tun, wenn er auszieht?
        Wer wählt den Bundespräsidenten?
        Hat der Mieter Anspruch auf seine Kaution?
        Was können Sie über Ulm sagen?
        Wie funktioniert Photosynthese?
        Wann wurde das Salzmuseum eröffnet?
        Worum geht es in diesen Dokumenten?
        Wie hoch ist der gesetzliche Mindestlohn?
        Wer hat das Gedicht geschrieben?
        """,
    "es": """
        ¿Quién tiene derecho a una nacionalidad?
        ¿Qué es la fotosíntesis?
        ¿De qué tratan estos documentos?
        ¿Quién proyectó el faro de Punta Serena?
        ¿Qué debe hacer el inquilino cuando deja su piso?
        """,
    "fr": """
        Quand la tour est-elle ouverte ?
        Qu'est-ce que la photosynthèse ?
        Est-ce que le locataire peut sous-louer ?
        De quoi parlent ces documents ?
        Quelle est la capitale du Brésil ?
        """,
    "it": """
        Qual è la capitale del Brasile?
        Che cos'è la fotosintesi?
        Di cosa parlano questi documenti?
        """,
    "pt": """
        Qual é a capital do Brasil?
        O que é fotossíntese?
        De que tratam estes documentos?
        """,
    "zh": """
        清水桥是谁设计的？
        应该什么时候交货？
        还有其他方法吗？
        中华人民共和国的首都是哪里？
        """,
    "ja": """
        東京タワーはいつ建てられましたか？
        ブラジルの首都はどこですか？
        """,
}
FRAGMENTS = {
    "en": ["And Mir?", "What about Apollo 12?", "How about Brazil?"],
    "de": ["Und Kessler?", "Was ist mit Ahrenfels?"],
    "es": ["¿Y Brasil?"],
    "fr": ["Et Paris ?"],
    "it": ["E Roma?"],
    "pt": ["E Lisboa?"],
    "zh": ["那白鹭书院呢？"],
    "ja": ["ミールは？"],
}


def listed(cases: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, line.strip()) for language, text in cases.items() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("language", "question"), listed(DEPENDENT))
def test_references_to_earlier_turns_are_recognized(language: str, question: str) -> None:
    assert reference(question, language) is AnaphoricReference.TOPIC


@pytest.mark.parametrize(("language", "question"), listed(ALONE))
def test_self_contained_questions_are_recognized(language: str, question: str) -> None:
    assert reference(question, language) is AnaphoricReference.NOTHING


@pytest.mark.parametrize("language", FRAGMENTS)
def test_fragment_repeats_the_question_for_another_topic(language: str) -> None:
    assert {reference(question, language) for question in FRAGMENTS[language]} == {AnaphoricReference.PREDICATE}


def test_mentioned_noun_refers_back() -> None:
    question = "When was the station launched?"
    assert reference(question, "en") is AnaphoricReference.NOTHING
    assert reference(question, "en", frozenset({"station"})) is AnaphoricReference.TOPIC
    assert (
        reference("When was the station of Mir launched?", "en", frozenset({"station"})) is AnaphoricReference.NOTHING
    )


def test_any_text_is_read() -> None:
    for text in ("", " ", "?", "... , ;", "it " * 10_000, "\ud800 it?", "и он?", "그는?"):
        for language in ("en", "de", "fr", "zh", "ja", "ru", "xx"):
            reference(text, language)
