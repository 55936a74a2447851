"""Languages are told by script and function words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The engine was built by Charles Babbage in London.", "en"),
        ("Die Maschine wurde von Charles Babbage in London gebaut.", "de"),
        ("La machine a été construite par Charles Babbage dans les ateliers.", "fr"),
        ("La máquina fue construida por Charles Babbage en Londres con los obreros.", "es"),
        ("A máquina foi construída por Charles Babbage em Londres, não na França.", "pt"),
        ("La macchina è stata costruita da Charles Babbage, che non la vide nel suo tempo.", "it"),
        ("De machine werd door Charles Babbage gebouwd en het is een wonder.", "nl"),
        ("Maskinen byggdes av Charles Babbage och det är inte en dröm.", "sv"),
        ("Maszyna została zbudowana przez Charlesa Babbage'a i nie jest to sen.", "pl"),
        ("Машина была построена в Лондоне, и это не сон.", "ru"),
        ("Машина була побудована в Лондоні, і це не сон.", "uk"),
        ("Η μηχανή κατασκευάστηκε στο Λονδίνο.", "el"),
        ("机器是由查尔斯·巴贝奇建造的。", "zh"),
        ("機械はチャールズ・バベッジによって作られた。", "ja"),
        ("그 기계는 찰스 배비지가 만들었다.", "ko"),
        ("بنيت الآلة في لندن من قبل تشارلز على يد", "ar"),
        ("", "en"),
        ("1843 – 42 %", "en"),
    ],
)
def test_languages_are_detected(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who built the bridge?", "en"),
        ("Who directed Das Boot?", "en"),
        ("What does El Niño mean?", "en"),
        ("Violin Sonata No. 3 in U.S. hands", "en"),
        ("Wer baute die Brücke?", "de"),
        ("Wann starb Mozart?", "de"),
        ("¿Quién construyó el puente?", "es"),
        ("¿Cuándo murió Cervantes?", "es"),
        ("Qui a construit le pont ?", "fr"),
        ("Chi ha costruito il ponte?", "it"),
        ("Quem construiu a ponte?", "pt"),
        ("Wie bouwde de brug?", "nl"),
        ("Vem byggde bron?", "sv"),
        ("Kto zbudował most?", "pl"),
        ("谁设计了这座桥？", "zh"),
        ("iPhone 是谁发明的？", "zh"),
        ("橋を作ったのは誰ですか。", "ja"),
    ],
)
def test_language_of_short_questions_is_detected(question: str, language: str) -> None:
    assert detect_language(question) == language


def test_foreign_names_do_not_decide_the_language() -> None:
    assert detect_language("The poet 李白 lived in the time of the Tang and was of great renown.") == "en"


@given(st.text())
def test_any_text_has_a_language(text: str) -> None:
    assert len(detect_language(text)) == 2
