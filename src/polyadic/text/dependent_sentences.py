"""Recognize sentences that continue the one before: by referring to it ("These ..."), or by giving its reason."""

import re
from collections.abc import Mapping

from polyadic.text.stopwords import words

# Words that refer to the sentence before at the beginning of a sentence.
_FIRST: Mapping[str, frozenset[str]] = {
    "en": words(
        "this that these those such it its he she they him her his their them however otherwise therefore thus hence"
        " then instead also but and or so similarly likewise conversely moreover furthermore additionally nevertheless"
        " nonetheless alternatively consequently accordingly besides meanwhile yet still both neither doing else"
    ),
    "de": words(
        "dies diese dieser dieses diesen diesem er es jene jener jenes solche solcher solches dabei damit"
        " dadurch daher deshalb deswegen darum dazu dafür danach dann davon daraus darauf darin außerdem zudem ferner"
        " jedoch aber allerdings dennoch trotzdem andernfalls sonst ansonsten stattdessen hierzu hierbei hiermit"
        " ausserdem hierfür hierdurch ebenso letztere letzterer letzteres erstere ersterer ersteres und oder auch"
    ),
    "es": words(
        "este esta estos estas esto ese esa esos esas eso aquel aquella él ella ellos ellas también además así asimismo"
        " entonces pero y"
    ),
    "fr": words(
        "ce cet cette ces cela ceci il elle ils elles cependant toutefois néanmoins sinon ainsi donc alors aussi mais"
        " et celui celle ceux celles"
    ),
}
_PHRASES = {
    "en": (
        r"(?:in|for|with|by|from|to|at|on|under|after|before|during|like|because of|instead of|as well as)"
        r" (?:this|that|these|those|such|it|them|doing so)\b"
        r"|(?:as a (?:result|consequence)|in (?:addition|other words|contrast|turn)|for (?:example|instance)"
        r"|if (?:so|not)|to do (?:so|this|that)|on the (?:other hand|contrary)"
        r"|the (?:former|latter)|the reasons? (?:is|are|was|were|being)|even (?:so|then))\b"
    ),
    "de": (
        r"(?:in|aus|mit|bei|von|zu|nach|für|unter|auf|an|über|durch|wegen|trotz|vor) (?:dies|jen|solch)e(?:r|s|m|n)?\b"
        r"|(?:zum beispiel|im gegensatz dazu|darüber hinaus|ist (?:dies|das) der fall|wenn (?:dies|das|ja)"
        r"|(?:der )?grund (?:dafür|hierfür|ist|war))\b"
    ),
    "es": (
        r"(?:en|por|con|de|para) (?:est|es)(?:e|a|o|os|as)\b"
        r"|(?:sin embargo|de lo contrario|por lo tanto|por ejemplo)\b"
    ),
    "fr": r"(?:dans|pour|par|avec|de|à) (?:ce|cet|cette|ces|cela)\b|(?:de plus|en outre|par (?:conséquent|exemple))\b",
}
_LEANS = {
    language: re.compile(rf"\W*(?:(?:{'|'.join(sorted(first))})\b|{_PHRASES[language]})", re.IGNORECASE)
    for language, first in _FIRST.items()
}
# A document speaks of itself: "This License", "this manual page".
_SELF = re.compile(
    r"\W*(?:(?i:in|under|by|of) )?(?i:this|these|est[aeo]s?|ce|cet|cette) (?:[A-ZÄÖÜ]|"
    r"(?:document|manual|man|page|guide|section|chapter|file|licen[cs]e|agreement|article|book|readme)\b)"
)
_REASONS = {
    "en": r"(?:(?:this|that|it) (?:is|was)(?: mainly| mostly| partly)? because|because|the reasons? (?:for|is|are|was"
    r"|were)|otherwise|this is (?:due|owed) to)\b",
    "de": r"(?:(?:dies|das) (?:liegt|lag) (?:daran|an)|(?:der )?grund (?:dafür|hierfür|ist|war)|weil|denn|sonst"
    r"|andernfalls|ansonsten)\b",
    "es": r"(?:(?:esto|eso) (?:se debe|es porque)|porque|la razón|de lo contrario)\b",
    "fr": r"(?:c['’](?:est|était) parce|parce qu|la raison|en effet|sinon|cela (?:est|était) dû)\b",
}
_GIVES_REASON = {language: re.compile(rf"\W*{opening}", re.IGNORECASE) for language, opening in _REASONS.items()}
_EXAMINED = 60


def leans_on_previous(sentence: str, language: str) -> bool:
    """Return whether a sentence refers to the one before.

    Parameters
    ----------
    sentence
        Plain text.
    language
        ISO 639-1 code; English, German, Spanish and French are known, and English words are looked for in any other.

    >>> [leans_on_previous(text, "en") for text in ("These are kept.", "In this case, it waits.", "This License ends.")]
    [True, True, False]
    """
    beginning = " ".join(sentence[:_EXAMINED].split())
    pattern = _LEANS.get(language, _LEANS["en"])
    # German capitalizes all nouns, so "diese Lizenz" may be any.
    is_about_itself = language != "de" and _SELF.match(beginning)
    return pattern.match(beginning) is not None and not is_about_itself


def gives_reason(sentence: str, language: str) -> bool:
    """Return whether a sentence begins by giving the reason for the one before.

    Parameters
    ----------
    sentence
        Plain text.
    language
        As for :func:`leans_on_previous`.

    >>> texts = ("That is because he was ill.", "Otherwise it runs dry.", "That is a valve.")
    >>> [gives_reason(text, "en") for text in texts]
    [True, True, False]
    """
    beginning = " ".join(sentence[:_EXAMINED].split())
    return _GIVES_REASON.get(language, _GIVES_REASON["en"]).match(beginning) is not None
