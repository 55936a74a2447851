"""Numbers that a text has in words, so that a fact may write them in digits."""

import re

_WORD = re.compile(r"[^\W_]+")
_LARGER = {
    word: str(first + step * place)
    for words, first, step in (
        ("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10, 1),
        ("tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", 10, 1),
        ("twenty thirty forty fifty sixty seventy eighty ninety hundred", 20, 10),
    )
    for place, word in enumerate(words.split())
}
# Words for 0 to 9, by language. Forms that are written alike in two languages count in both.
_DIGITS = {
    "en": (
        "zero no none nil|one first once single a an sole|two second twice both double pair couple twin twins "
        "other|three third thrice triple trio|four fourth quadruple|five fifth|six sixth|seven seventh|eight "
        "eighth|nine ninth"
    ),
    "de": (
        "null kein keine|ein eine einen einem einer eines eins erste ersten erster erstes einmal|zwei zweite "
        "zweiten zweiter zweites beide beiden zweimal|drei dritte dritten dritter drittes dreimal|vier vierte "
        "vierten|fünf fünfte fünften|sechs sechste sechsten|sieben siebte siebten siebente|acht achte "
        "achten|neun neunte neunten"
    ),
    "fr": (
        "zéro aucun|un une premier première|deux deuxième second seconde|trois troisième|quatre "
        "quatrième|cinq cinquième|six sixième|sept septième|huit huitième|neuf neuvième"
    ),
    "es": (
        "cero ningún|un una uno primer primero primera|dos segundo segunda ambos|tres tercer tercero "
        "tercera|cuatro cuarto cuarta|cinco quinto quinta|seis sexto sexta|siete séptimo séptima|ocho octavo "
        "octava|nueve noveno novena"
    ),
    "it": (
        "zero nessun|un uno una primo prima|due secondo seconda|tre terzo terza|quattro quarto quarta|cinque "
        "quinto quinta|sei sesto sesta|sette settimo settima|otto ottavo ottava|nove nono nona"
    ),
    "pt": (
        "zero nenhum|um uma primeiro primeira|dois duas segundo segunda ambos|três terceiro terceira|quatro "
        "quarto quarta|cinco quinto quinta|seis sexto sexta|sete sétimo sétima|oito oitavo oitava|nove nono "
        "nona"
    ),
    "zh": "零 〇|一|二 两|三|四|五|六|七|八|九",
    "ja": "零 〇|一|二|三|四|五|六|七|八|九",
}
_OF_A_LANGUAGE = {
    language: {word: str(digit) for digit, listed in enumerate(words.split("|")) for word in listed.split()}
    for language, words in _DIGITS.items()
}
_ROMAN = {
    numeral: str(value) for value, numeral in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"], 1)
}
_IDEOGRAPHS = frozenset(["zh", "ja"])


def knows_digits(language: str) -> bool:
    """Return whether the words for 0 to 9 are known in a language (ISO 639-1)."""
    return language in _OF_A_LANGUAGE


def numbers_in_words(text: str, language: str) -> set[str]:
    """Return the numbers that a text has in words: 0 to 9 in this language or Roman, larger ones in English.

    >>> sorted(numbers_in_words("Three of twelve men flew on Gemini V.", "en"))
    ['12', '3', '5']
    >>> sorted(numbers_in_words("Beide flogen dreimal, und waren zu zweit.", "de")), numbers_in_words("三人", "zh")
    (['2', '3'], {'3'})
    """
    words = _WORD.findall(text)
    small = _OF_A_LANGUAGE.get(language, {})
    found = {_LARGER[word] for word in map(str.lower, words) if word in _LARGER}
    found |= {_ROMAN[word] for word in words if word in _ROMAN}
    parts = text if language in _IDEOGRAPHS else map(str.lower, words)
    return found | {small[part] for part in parts if part in small}
