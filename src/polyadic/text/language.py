"""Detect the language of a text by its script, its function words and rare letters.

It is accurate enough to choose rules for sentences and names, for short questions and for books; it is not a general
language identifier. It loads no data and reads only a sample, so a call takes well under a millisecond.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_SAMPLE = 2_000
# Words, without those of "U.S.", "No. 3" and "Mozart's".
_WORD = re.compile(r"[^\W\d_]{3,}|(?<![\w.'’])[^\W\d_]{1,2}(?![\w.])")
_MIN_POINTS = 2
_IDEOGRAPH_WEIGHT = 2
_MIN_KANA_SHARE = 0.05

# Weight of a distinctive word (a frequent word weighs 1), and of a mark that only one language has.
_DISTINCTIVE = 2
_CERTAIN = 3

_SCRIPTS = {
    "kana": re.compile("[\u3041-\u30ff]"),
    "zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "gu": re.compile("[\u0a80-\u0aff]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "te": re.compile("[\u0c00-\u0c7f]"),
    "kn": re.compile("[\u0c80-\u0cff]"),
    "ml": re.compile("[\u0d00-\u0d7f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0530-\u058f]"),
}

# The most frequent function words of each language; ties go to the first language.
_WORDS = {
    "latin": {
        "en": "the of and to in is was for that with as on by are from it be at this his he which not have a "
        "an i no do or we",
        "de": "der die und das ist von den mit zu des ein eine nicht dem im auf für sich als auch wurde war es",
        "fr": "le la les et des est une du dans que pour qui sur au par avec il pas plus ce sont été",
        "es": "el la los de y que en las del una por con para su se es no fue como más un",
        "pt": "o a os de e que do da em um uma não para com por dos das no na foi é mais ao",
        "it": "il di e che la per una è con del della non nel sono gli le alla dei da più fu si",
        "ca": "el la els les i de que amb per una és del va dels seva aquest més al als",
        "nl": "de het een en van is dat op te zijn met voor niet was aan er hij ook door werd",
        "sv": "och att det som en är av för på med den till ett inte var han från har i om",
        "da": "og at det som en er af for på med den til et ikke var han fra har i der blev",
        "no": "og at det som en er av for på med den til et ikke var han fra har i ble eller",
        "fi": "ja on ei se että oli hän mutta myös kun ovat sekä joka tai kuin sen vuonna olla hänen",
        "pl": "i w na się z do nie jest że to o od przez był po jako oraz jego dla za są",
        "cs": "a v se na je že s z do to o i byl jako za pro ve jeho po by který",
        "sk": "a v sa na je že s z do to o i bol ako za pre vo jeho po by ktorý",
        "hu": "a az és hogy nem egy is volt meg ez de csak mint vagy még már szerint között el",
        "ro": "și de în a la cu pe din o un este nu să care fost mai au pentru prin sau",
        "hr": "i u je na se da za su od s kao o iz koji bio ne ili do što prema",
        "tr": "ve bir bu için ile olarak da de olan daha çok gibi sonra kadar en ne olduğu ancak",
        "id": "yang dan di dari untuk dengan pada ini adalah tidak dalam ke oleh sebagai itu akan telah",
        "vi": "và của là các có trong cho được một với không người những này để từ đã năm khi",
        "la": "et in est non ad cum ut qui sed quod ex per quae ab sunt esse nec aut enim",
    },
    "cyrillic": {
        "ru": "и в на не что с по из как к это был для его от он за а о до",
        "uk": "і в на не що з та до як у це був для його від він за є про або",
        "bg": "и в на не че с за от се да е по като са при му той или към през",
    },
    "arabic": {
        "ar": "في من على إلى أن التي الذي عن مع هذا كان هذه و لا ما كما",
        "fa": "و در به از که این را با است آن برای یک بود شد می های",
        "ur": "اور کے میں کی ہے سے کا کو نے پر یہ کہ ہیں تھا اس ایک",
    },
}
# Words of questions and short sentences that occur in few other languages.
_DISTINCTIVE_WORDS = {
    "latin": {
        "en": "who what when where which why how whose does did do were has had been the and she her they their this "
        "there of our your my would could should than then if before after between every name and to with for from it "
        "its as at by is are be may also now but not such some other all any out only into over about because",
        "de": "wer wen wem wessen was wann wo wie warum wieso weshalb wohin woher welche welcher welches welchen wurde "
        "wurden ist sind hat hatte haben nicht kein keine ein eine einen einem einer der das dem den und auf auch aus "
        "nach seit über unter zwischen durch für mit zum zur vom beim er ihr ihre ihrer sein seine unser unsere dieses "
        "dieser diese gibt heißt jeden jede nenne zu sehr heute gestern immer noch schon wieder hier dort dann weil "
        "kann können konnte konnten muss müssen soll drei zwei",
        "fr": "qui quand où quel quelle quels quelles quoi pourquoi comment combien est sont était ont cette ces dans "
        "avec chez il elle nous vous lui leur leurs son ses notre votre aux des du au une cet fut être pas sans chaque "
        "les et peut peuvent moi toi deux trois très aussi même",
        "es": "quién quiénes quien cuándo cuando dónde donde cuál cuáles cuánto cuánta cuántos cuántas cómo qué fue "
        "eran es está están hay los las el del y su sus ella ellos nosotros nuestro nuestra cada pero muy fueron hasta "
        "desde llama toda todo según porque hoy ayer siempre también sin sobre entre "
        "nunca dos tres puede pueden mi tu",
        "pt": "quem quando onde qual quais quanto quantos quantas como porquê foi eram são está do da dos das em no na "
        "nos nas um uma seu sua seus suas ele ela eles nosso nossa não é ao à pelo pela muito também os você "
        "porque hoje ontem sempre sem sobre entre nunca dois três pode podem",
        "it": "chi quando dove quale quali quanto quanti quante come perché cosa che è sono era erano fu furono il lo "
        "gli della dello degli delle nel nella dal dalla del di ha hanno suo sua suoi lui lei noi nostro questo questa "
        "ogni più si ne anche i le la da una uno non mai per due tre può possono oggi ieri sempre",
        "ca": "qui quan on quin quina quins quants quantes com per què és són va van amb els dels aquesta seva",
        "nl": "wie wat wanneer waar waarom hoe hoeveel welke welk heeft hebben had werd werden is het een de van hij "
        "zij haar zijn onze ons deze dit elke niet ook maar naar uit bij "
        "kan kunnen kon twee drie zonder altijd nooit wiens sinds",
        "sv": "vem vad när var varför hur vilken vilket vilka vart är och inte det den som ett från till hon hennes "
        "hans vår vårt varje har hade blev också men många "
        "kan kunde två tre utan alltid aldrig vems vid",
        "da": "hvem hvad hvornår hvor hvorfor hvordan hvilken hvilket hvilke er og ikke det den som et fra til hun "
        "hendes hans vores hver blev også men af",
        "no": "hvem hva når hvor hvorfor hvordan hvilken hvilket hvilke er og ikke det den som et fra til hun hennes "
        "hans vår vårt hver ble også men av",
        "fi": "kuka mikä mitä milloin missä miksi miten kuinka kenen mihin mistä oli on ovat hän hänen ei tämä joka",
        "pl": "kto co kiedy gdzie dlaczego jak jaki jaka jakie jakiego ile który która które czyj jest są był była "
        "było się nie nasz jej jego ten ta ona oni niż oraz cały całą "
        "czy od bez może mogą dwa trzy przez nigdy zawsze",
        "cs": "kdo co kdy kde proč jak jaký jaká jaké kolik který která které čí je jsou byl byla bylo není jeho její",
        "sk": "kto čo kedy kde prečo ako aký aká aké koľko ktorý ktorá ktoré čí je sú bol bola bolo nie jeho jej",
        "hu": "ki mi mikor hol miért hogyan melyik mennyi hány kinek hová honnan volt az egy és nem van",
        "ro": "cine ce când unde cum care cât câți câte este sunt era fost și nu din pentru lui ei",
        "hr": "tko što kada kad gdje zašto kako koji koja koje koliko čiji je su bio bila bilo nije",
        "tr": "kim ne zaman nerede neden nasıl hangi kaç kimin niçin nereye mi mı ve bir bu",
        "id": "siapa apa kapan mana dimana mengapa bagaimana berapa yang adalah dan di",
        "vi": "ai gì khi nào đâu sao thế bao nhiêu là của và",
    },
    "cyrillic": {
        "ru": "кто что когда где почему как какой какая какие сколько который это был была он она",
        "uk": "хто що коли де чому як який яка які скільки це був була він вона",
        "bg": "кой какво кога къде защо как коя кои колко това беше той тя",
    },
    "arabic": {
        "ar": "من ما متى أين لماذا كيف كم هل هو هي",
        "fa": "کی چه کجا چرا چگونه چند آیا است",
        "ur": "کون کیا کب کہاں کیوں کیسے کتنے ہے",
    },
}
_SPANISH_MARKS = frozenset("¿¡")
# Letters that few languages have. They also occur in foreign names, so they weigh little.
_LETTERS_OF = {
    "de": "ßäöü",
    "fr": "œçèêàùîôë",
    "es": "ñáéíóú",
    "pt": "ãõçáéíóúâêôà",
    "it": "èòàùì",
    "ca": "çèòàï",
    "sv": "åäö",
    "da": "åæø",
    "no": "åæø",
    "fi": "äö",
    "pl": "łąęśźżćńó",
    "cs": "řěůžščýáíéú",
    "sk": "ľĺŕôžščýáíéú",
    "hu": "őűöüáéíóú",
    "ro": "ăâîșțşţ",
    "hr": "đžšč",
    "tr": "ğışçöü",
    "vi": "đơưăâêô",
}


def _points(script: str) -> dict[str, list[tuple[str, int]]]:
    """Languages of each word of a script, with the weight for each."""
    points: dict[str, list[tuple[str, int]]] = {}
    for language, frequent in _WORDS[script].items():
        distinctive = set(_DISTINCTIVE_WORDS[script].get(language, "").split())
        for word in distinctive | set(frequent.split()):
            points.setdefault(word, []).append((language, _DISTINCTIVE if word in distinctive else 1))
    return points


_POINTS = {script: _points(script) for script in _WORDS}


def detect_language(text: str) -> str:
    """Detect the language of a text, as an ISO 639-1 code; ``en`` if there is no evidence.

    >>> detect_language("Der Hund ist nicht mit der Katze im Garten."), detect_language("我们去北京。")
    ('de', 'zh')
    >>> detect_language("1843: 42")
    'en'
    """
    return _language(_sample(text))


def certain_language(text: str) -> str | None:
    """Detect the language of a text; None if no word or letter is evidence for one.

    >>> certain_language("Wer hat das Haus gebaut?"), certain_language("Protokoll bei Ada")
    ('de', None)
    """
    sample = _sample(text)
    script = _dominant_script(sample)
    if script not in _WORDS:
        return script
    return _best_by_words(sample, script)


# Called for a document when it is chunked, for each of its chunks, and when it is published.
@lru_cache(maxsize=256)
def _language(sample: str) -> str:
    script = _dominant_script(sample)
    return _by_function_words(sample, script) if script in _WORDS else script


def _sample(text: str) -> str:
    """Take the beginning and the middle, so that a licence or a table at the start does not decide alone."""
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = len(text) // 2
    return text[:_SAMPLE] + " " + text[middle : middle + 2 * _SAMPLE]


def _dominant_script(text: str) -> str:
    """Script with the most characters, named by its language if only one known language uses it."""
    if text.isascii():
        return "latin"
    counts = {script: len(pattern.findall(text)) for script, pattern in _SCRIPTS.items()}
    # One such character counts as several letters.
    counts.update({script: _IDEOGRAPH_WEIGHT * counts[script] for script in ("kana", "zh", "ko")})
    kana = counts.pop("kana")
    best = max(counts, key=lambda script: counts[script])
    east_asian = kana + counts["zh"]
    # Japanese mixes kana with Chinese characters; Chinese has no kana.
    if east_asian > counts[best] * 0.99 and kana > _MIN_KANA_SHARE * east_asian:
        return "ja"
    return best if counts[best] else "latin"


def _by_function_words(text: str, script: str) -> str:
    """Language with the most points; the first one of the script if there are too few."""
    return _best_by_words(text, script) or next(iter(_WORDS[script]))


def _best_by_words(text: str, script: str) -> str | None:
    folded = text.casefold()
    points = dict.fromkeys(_WORDS[script], 0)
    for word in _WORD.findall(folded):
        for language, weight in _POINTS[script].get(word, ()):
            points[language] += weight
    if script == "latin" and not text.isascii():
        for language, weight in _by_letters(text):
            points[language] += weight
    best = max(points, key=lambda language: points[language])
    return best if points[best] >= _MIN_POINTS else None


def _by_letters(text: str) -> Iterator[tuple[str, int]]:
    """Points for the marks and letters of a text; each counts once."""
    found = set(text.lower())
    if found & _SPANISH_MARKS:
        yield "es", _CERTAIN
    for language, letters in _LETTERS_OF.items():
        if found & set(letters):
            yield language, 1
