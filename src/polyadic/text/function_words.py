"""Words that are not names although a sentence may begin with them.

English is listed here, because the usual lists of stop words hold words that are also names (Bill, Will, May);
other languages use stopwords-iso (MIT).
"""

from functools import cache


def words(listed: str) -> frozenset[str]:
    """A set of words from a listing with spaces."""
    return frozenset(listed.split())


_ENGLISH = words("""
a an the this that these those such some any each every either neither both all most many much more few several
other another no none
i me my mine myself you your yours he him his himself she her hers herself it its itself we us our ours ourselves
they them their theirs themselves who whom whose which what whatever where wherever when whenever why how however
and or but nor so yet if unless until till while whilst whereas although though because since as than then thus
hence therefore moreover furthermore besides otherwise instead meanwhile nevertheless nonetheless indeed perhaps maybe
of in on at by for from to with without within into onto upon over under above below between among amongst during
before after behind beyond through throughout across along around about against toward towards near via per despite
like unlike including except according due given following based known located born named called
there here now once again also too only just even still already always often usually sometimes never ever soon later
earlier afterwards eventually finally initially originally currently recently previously formerly subsequently
additionally generally typically today yesterday tomorrow not yes is are was were be been being am do does did done
have has had having will would can could shall should may might must let please in addition
aside apart together alone ago away back up down off out
""")

ARTICLES = words(
    "the a an der die das den dem des ein eine einer einem einen le la les un une des el los las una unos il lo gli i "
    "o os as um uma de het een en ett den det"
)
"""Articles of the languages in Latin script that have them."""

GERMAN_DETERMINERS = words(
    "der die das den dem des ein eine einer einem einen eines kein keine keiner keinem keinen keines dieser diese "
    "dieses diesem diesen jeder jede jedes jedem jeden mein meine meiner meinem meinen sein seine seiner seinem "
    "seinen seines ihr ihre ihrer ihrem ihren ihres unser unsere alle aller vom zum zur beim im am ins ans"
)

MODIFIERS = words(
    "one two three four five six seven eight nine ten first second third fourth fifth last next half new old early "
    "late former north south east west northern southern eastern western mr mrs ms dr st sir"
)
"""English words that may begin a name but are none alone."""

PRONOUNS = words("he she it they we i you this that these those his her its their him them")


@cache
def function_words(language: str) -> frozenset[str]:
    """Function words of a language in lower case; empty for one without a list.

    >>> "however" in function_words("en"), "nicht" in function_words("de"), function_words("xx")
    (True, True, frozenset())
    """
    if language == "en":
        return _ENGLISH
    # Reading the list takes a tenth of a second, which only those who index other languages should pay.
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(language)) if stopwordsiso.has_lang(language) else frozenset()
