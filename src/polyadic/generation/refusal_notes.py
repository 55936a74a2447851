"""Refusals in the language of the question: their text, and the note on how the answer was sought."""

from dataclasses import replace

from polyadic.generation.no_answer_texts import no_answer, probably_no_answer
from polyadic.model.types import Answer

_NOT_ASKED = {
    "en": "no language model was asked",
    "de": "es wurde kein Sprachmodell gefragt",
    "es": "no se consultó ningún modelo de lenguaje",
    "fr": "aucun modèle de langage n’a été interrogé",
    "it": "non è stato interrogato alcun modello linguistico",
    "pt": "nenhum modelo de linguagem foi consultado",
    "nl": "er is geen taalmodel geraadpleegd",
    "ca": "no s’ha consultat cap model de llenguatge",
    "sv": "ingen språkmodell tillfrågades",
    "da": "ingen sprogmodel blev spurgt",
    "no": "ingen språkmodell ble spurt",
    "fi": "kielimallilta ei kysytty",
    "pl": "nie zapytano żadnego modelu językowego",
    "cs": "žádný jazykový model nebyl dotázán",
    "tr": "hiçbir dil modeline sorulmadı",
    "ru": "языковая модель не использовалась",
    "uk": "мовна модель не використовувалася",
    "zh": "未使用语言模型",
    "ja": "言語モデルには問い合わせていません",
    "ko": "언어 모델에 묻지 않았습니다",
    "ar": "لم يُسأل أي نموذج لغوي",
}
_ASKED_TO_SEARCH = {
    "en": "a language model was asked only to search",
    "de": "ein Sprachmodell wurde nur für die Suche gefragt",
    "es": "solo se consultó un modelo de lenguaje para la búsqueda",
    "fr": "un modèle de langage n’a été interrogé que pour la recherche",
    "it": "un modello linguistico è stato interrogato solo per la ricerca",
    "pt": "um modelo de linguagem foi consultado apenas para a pesquisa",
    "nl": "een taalmodel is alleen voor het zoeken geraadpleegd",
    "ca": "només s’ha consultat un model de llenguatge per a la cerca",
    "sv": "en språkmodell tillfrågades bara för sökningen",
    "da": "en sprogmodel blev kun spurgt for at søge",
    "no": "en språkmodell ble bare spurt for å søke",
    "fi": "kielimallilta kysyttiin vain hakua varten",
    "pl": "model językowy zapytano tylko na potrzeby wyszukiwania",
    "cs": "jazykový model byl dotázán jen kvůli hledání",
    "tr": "dil modeline yalnızca arama için soruldu",
    "ru": "языковая модель использовалась только для поиска",
    "uk": "мовна модель використовувалася лише для пошуку",
    "zh": "语言模型仅用于搜索",
    "ja": "言語モデルは検索にのみ使用しました",
    "ko": "언어 모델은 검색에만 사용했습니다",
    "ar": "استُخدم نموذج لغوي للبحث فقط",
}


def refusal_note(language: str, asked_to_search: bool) -> str:
    """Return how an unanswered question was handled, in a language (ISO 639-1); English for unknown languages.

    Parameters
    ----------
    language
        Language of the question.
    asked_to_search
        Whether a language model took part in the search.

    >>> refusal_note("de", asked_to_search=False), refusal_note("xx", asked_to_search=False)
    ('es wurde kein Sprachmodell gefragt', 'no language model was asked')
    """
    texts = _ASKED_TO_SEARCH if asked_to_search else _NOT_ASKED
    return texts.get(language, texts["en"])


def in_language(refusal: Answer, language: str) -> Answer:
    """Return a refusal to quote with its text and its note in a language (ISO 639-1)."""
    knowledge = refusal.knowledge
    text = (probably_no_answer if knowledge.items else no_answer)(language)
    note = refusal_note(language, asked_to_search=bool(knowledge.usage.calls))
    return replace(refusal, text=text, note="; ".join(filter(None, (note, knowledge.note))))
