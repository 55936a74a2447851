"""English word lists for noun phrases: delimiters, verbs, and adjectives and nouns that are not terms."""

import re

from polyadic.text.stopwords import MODIFIERS, function_words, words

DETERMINERS = words(
    "a an the this these those its their your our his her my each every any all some another no both either neither"
)
"""Words that open a noun phrase; the word before one is hardly ever a noun."""

BEFORE_A_VERB = words(
    "can could may might must shall should will would cannot not never i you we they he she it who please let do "
    "does did"
)

PREPOSITIONS = words(
    "of in for with by on from at into within without between during about against through under via per among across "
    "over upon toward towards"
)

_REGULAR = words("""
accept accompany accomplish achieve acknowledge acquire adapt add adjust admit adopt affect afford agree alter allow
announce appear append apply appoint argue arise arrange arrive ascertain ask assemble assert assign assist assume
assure attach attain attend avoid await become begin behave belong bother bring calculate carry cease choose cite
clarify collect combine come compare compile complain comply compose comprise compute conclude conduct configure
confirm connect consider consist constitute construct consult contact contain continue contribute convert convey
correspond create decide declare decline decrease deem define delete deliver denote deny depend derive describe
deserve destroy detect determine develop die differ disable disappear discard disclose discover discuss distinguish
distribute divide earn eat educate elect eliminate emit employ enable encode encourage end enforce enhance enjoy
ensure enter erase establish estimate evaluate examine exceed exclude execute exist expand expect explain explore
expose extend fail feed feel fetch fill find finish fit fly forbid forget forgive furnish gather generate get give go
govern grow happen hear hide hire identify ignore illustrate imagine implement imply impose improve incorporate
increase include incur indicate induce infer inform inherit inhibit initialize initialise initiate insert insist
instruct integrate intend interact interpret introduce invent investigate invite invoke involve join keep know lack
launch lead learn leave lend let lie listen live locate look lose maintain make manage manipulate mean meet mention
merge migrate modify negotiate obey obtain occur omit operate organize organise originate overwrite owe participate
perceive perform permit persuade pick possess postpone prefer prepare preserve presume prevent proceed produce
prohibit promote propose protect prove provide publish pull pursue put raise reach realize realise receive recognize
recognise recommend reduce refer reflect refuse regard register regulate reject relate rely remain remember remove
render repeat replace represent reproduce require resemble reside resolve respond restore restrict resume retain
retrieve reveal rewrite rise satisfy say see seek seem select sell send separate serve settle simplify sit skip sleep
solve speak specify spend stand stay strengthen submit substitute succeed suffer suggest supersede suppose suppress
surround survive suspend take talk teach tell tend think throw transform transmit treat try turn undergo understand
undertake unify utilize utilise vanish vary verify violate visit wait want warn wear wish withdraw wonder worry write
yield
""")
_IRREGULAR = words("""
arisen arose ate became began begun bore borne bought broke broken brought built came caught chose chosen cut dealt
drawn drew driven drove eaten fallen fed fell felt flew flown forbade forbidden forgot forgotten fought found gave
given gone got gotten grew grown had heard held hid hidden kept knew known laid lain lay led left lent let lost made
meant met paid proven put ran read risen rose sat said sang sank saw seen sent shaken shook shot shown shut slept slid
sold sought spent spoke spoken stood stolen struck stuck sung swam swore sworn taken taught thought threw thrown told
took understood went woke won wore worn withdrawn withdrew written wrote
""")
_DOUBLED = words("admit begin commit cut fit get incur let omit occur permit prefer put refer regret set sit submit")


def _inflected(verb: str) -> set[str]:
    """Inflect a regular verb.

    >>> sorted(_inflected("apply")), sorted(_inflected("omit"))[2:]
    (['applied', 'applies', 'apply', 'applying'], ['omitted', 'omitting'])
    """
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    stem = verb
    if verb.endswith("e") and not verb.endswith("ee"):
        stem = verb[:-1]
    elif verb in _DOUBLED:
        stem = verb + verb[-1]
    if verb.endswith("y") and verb[-2] not in "aeou":
        return {verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"}
    return {verb, third, stem + "ed", stem + "ing"}


VERBS = frozenset(form for verb in _REGULAR for form in _inflected(verb)) | _IRREGULAR
"""Verb forms that are not nouns; words that may be either are classified by context."""

_EMPTY = words("""
very quite rather almost hardly else something anything nothing everything someone anyone everyone nobody somebody
everybody anybody etc eg ie vs cf al thereby therein thereof thereto thereafter hereby herein hereof hereinafter
hereunder amid unto onto albeit lest ok okay oh ah well far much too ever ago per plus minus respectively anyway
anywhere everywhere somewhere nowhere indeed www http https html htm whether able unable going used using according
regarding concerning excluding provided providing cannot sometimes otherwise whose worth yourself oneself thyself
least forward backward forwards backwards onwards afterwards outside inside nearby therefrom forth hither thither
whence thence aloud asleep awake alike afraid glad sorry
""")
DELIMITERS = function_words("en") | _EMPTY
"""Words that no term contains."""

ADJECTIVES = MODIFIERS | words("""
other different same such many various several certain specific particular following possible available important
large small big good great long short main major minor previous current recent final additional further extra single
multiple separate similar common usual normal typical general special simple complex easy hard difficult likely
unlikely necessary appropriate proper suitable correct wrong right real actual original initial existing given related
corresponding respective relevant best better worst worse own whole entire full only mere sole sure clear ready larger
smaller higher lower longer shorter greater newer older earlier later bigger largest smallest highest lowest latest
upper overall complete total exact precise true false valid invalid able capable useful helpful reasonable interesting
obvious apparent present past future modern poor nice fine bad strange little young beautiful dear unable subject
optional required desired preferred intended above-mentioned aforementioned foregoing said alternative individual
considerable significant substantial sufficient insufficient adequate frequent rare unique equal equivalent opposite
identical distinct enough applicable ordinary very just
""")
"""Words that may begin a phrase but are not part of a term."""

GENERIC = ADJECTIVES | words("""
thing way case example number part time year day month week hour minute second moment people man woman person kind
sort type lot set bit use fact reason end place point line section chapter page paragraph figure name list item order
amount rest side top bottom beginning start middle half pair couple group piece level degree extent range term word
sense view issue matter problem question answer idea note detail purpose result effect cause change difference means
manner method approach step state situation form fashion respect regard addition instance basis account course hand
head face eye back world life variety majority series aspect area field default behavior behaviour need choice chance
opportunity ability attempt work job help support care attention interest advantage benefit doubt mind sir gentleman
lady fellow none everyone today tomorrow yesterday night morning evening afternoon information feature text content
copy version position size length value thousand hundred million dozen men women children child body heart room door
house voice reply look open dark front round hope wish thanks thank sake turn past future present mean try show call
run move meaning reference rule process activity action event entry document subject object element member component
anyone notice pm am ad bc possibility combination presence absence lack existence consideration circumstance occasion
attribute property thereof extra
""")
"""Words that are not terms on their own."""

_ADJECTIVE = re.compile(r"\w*(?:able|ible|ous|ful|less|ish|ive|ical|ic|al|ary|ant|ent|ing)")
_PARTICIPLE = re.compile(r"\w{2,}(?<!e)ed")


def is_adverb(word: str) -> bool:
    """Return whether a word looks like an adverb in -ly.

    >>> is_adverb("usually"), is_adverb("supply")
    (True, False)
    """
    return len(word) > 5 and word.endswith("ly") and not word.endswith(("ply", "mily", "bly", "maly", "poly"))


def is_participle(word: str) -> bool:
    """Return whether a word looks like a past participle, which never ends a term.

    >>> is_participle("signed"), is_participle("seed")
    (True, False)
    """
    return _PARTICIPLE.fullmatch(word) is not None


def may_be_adjective(word: str) -> bool:
    """Return whether a word looks like an adjective or present participle, which ends a term only if used as a noun.

    >>> may_be_adjective("variable"), may_be_adjective("carcinoma")
    (True, False)
    """
    return _ADJECTIVE.fullmatch(word) is not None
