"""Lexicons of anaphoric words by language."""

import re
from dataclasses import dataclass

from polyadic.text.stopwords import words

QUESTION_TOKEN = re.compile(r"[^\W_]+|[,;:]|[.?!](?=\s)")
"""A word of a question, or punctuation that ends a clause."""


@dataclass(frozen=True, slots=True)
class AnaphoraLexicon:
    """Anaphoric words of a language that separates words by spaces, in lower case.

    Parameters
    ----------
    openers
        Conjunctions that continue the last question.
    asides
        Expressions of several words that repeat the last question for another topic ("what about").
    pronouns, possessives
        Third-person forms, without those that are also articles.
    demonstratives
        Words that are nearly always anaphoric if they have no antecedent in the question.
    final
        Words that are anaphoric at the end of a question.
    clitics
        Pronouns that differ from articles only by the word after them; None if there are none.
    determiners, definite
        Words that begin a noun phrase, and the definite articles among them.
    interrogatives
        Interrogatives that begin a noun phrase ("which").
    breaks
        Words that begin another clause.
    light
        Words with little content; a question of these alone is elliptical.
    drops_subject
        Whether subject pronouns may be omitted, so that a question may consist of a verb.
    """

    openers: frozenset[str]
    asides: tuple[str, ...]
    pronouns: frozenset[str]
    possessives: frozenset[str]
    demonstratives: frozenset[str]
    final: frozenset[str]
    clitics: re.Pattern[str] | None
    determiners: frozenset[str]
    definite: frozenset[str]
    interrogatives: frozenset[str]
    breaks: frozenset[str]
    light: frozenset[str]
    drops_subject: bool = False


ANAPHORA = {
    "en": AnaphoraLexicon(
        openers=words("and but or so also"),
        asides=("what about", "how about", "and what about", "and how about", "what of"),
        pronouns=words("he she it they him them hers theirs himself herself itself themselves"),
        possessives=words("his her its their"),
        demonstratives=words("this these those such"),
        final=words("that this these those there then one ones others latter former same"),
        clitics=None,
        determiners=words(
            "a an the my your our every each any some no all both several many most this that these those another"
        ),
        definite=words("the"),
        interrogatives=words("which what whose many much"),
        breaks=words(
            "and or but if when while before after because since that who which whose where although though unless "
            "until as than to without by whether"
        ),
        light=words(
            "exactly precisely happen happened happens next long far old big high tall deep fast often details detail "
            "explain elaborate continue example examples tell give mean means matter matters reason reasons difference "
            "result results outcome consequence consequences cause causes purpose ago kind sort way first last else "
            "larger bigger older younger longer shorter taller heavier faster earlier smaller cheaper newer better "
            "worse stronger lower higher one ones latter former others sure go please come came"
        ),
    ),
    "de": AnaphoraLexicon(
        openers=words("und aber oder auch"),
        asides=("was ist mit", "wie ist es mit", "wie steht es mit", "wie sieht es mit", "und was ist mit"),
        pronouns=words("er sie ihn ihm ihnen"),
        possessives=words("sein seine seiner seinem seinen seines ihr ihre ihrer ihrem ihren ihres deren dessen"),
        demonstratives=words(
            "dieser diese dieses diesem diesen jener jene jenes jenem jenen damals dort dorthin dorther danach davor "
            "davon dazu dafür dabei darin darüber daran daraus darauf dagegen dadurch"
        ),
        final=words("das dies es dem denen letztere erstere"),
        clitics=re.compile(
            r"\b(?:wurde|wird|ist|war|hat|hatte|kann|konnte|liegt|steht|stand|lag) "
            r"(?:es\b(?! (?:\w+ )?zu\b)|das(?= [a-zäöüß]+\W*$))"
        ),
        determiners=words(
            "der die das den dem des ein eine einer einem einen eines kein keine keiner jeder jede jedes"
        ),
        definite=words("der die das den dem des"),
        interrogatives=words("welche welcher welches welchem welchen viele vielen"),
        breaks=words(
            "und oder aber wenn falls als während bevor nachdem weil da dass ob obwohl damit um ohne wo der die das"
        ),
        light=words(
            "genau passierte passiert geschah bedeutet heißt grund gründe unterschied ergebnis folge folgen ursache "
            "zweck lange weit alt groß hoch teuer viel mehr einzelheiten details beispiel beispiele erklär erkläre "
            "erzähl weiter"
        ),
    ),
    "fr": AnaphoraLexicon(
        openers=words("et mais ou"),
        asides=("qu en est il de", "quid de", "et pour", "et qu en est il de"),
        pronouns=words("il elle ils elles lui eux"),
        possessives=words("son sa ses leur leurs"),
        demonstratives=words("cet cette ces celui celle ceux celles cela ça"),
        final=words("là ça cela"),
        clitics=re.compile(
            r"\bl['’](?:a|ont|avait|avaient|aura)\b|\b(?:le|la|les) (?:a|ont|avait|avaient)\b"
            r"|(?<![-\w]est-)(?<![-\w])\bce (?!que\b|qui\b|sont\b|n\b)[^\W\d_]",
            re.IGNORECASE,
        ),
        determiners=words("le la les l un une des du au aux chaque tout tous toute toutes quelques plusieurs"),
        definite=words("le la les l du au aux"),
        interrogatives=words("quel quelle quels quelles combien"),
        breaks=words("et ou mais si quand lorsque lorsqu pendant avant après parce que qu qui dont où pour sans afin"),
        light=words(
            "exactement passé passe raison raisons différence résultat cause conséquences but exemple expliquez"
        ),
    ),
    "es": AnaphoraLexicon(
        openers=words("y e pero o"),
        asides=("qué hay de", "qué tal", "qué pasa con", "y qué hay de", "y qué pasa con"),
        pronouns=words("él ella ellos ellas le les"),
        possessives=words("su sus suyo suya suyos suyas"),
        demonstratives=words("ese esa esos esas estos estas esto eso aquel aquella aquello allí allá entonces"),
        final=words("esta este ahí"),
        clitics=re.compile(
            r"\b(?:este|esta)\b(?<!al este)(?<!del este) [^\W\d_]|\blo\b(?! que\b| más\b| menos\b| cual\b)"
            r"|\b(?:la|las|los) (?:ha|han|había|[^\W\d_]{2,}(?:ó|aba|aban|aron|[iy]eron|ía|ían))\b",
            re.IGNORECASE,
        ),
        determiners=words(
            "el la los las un una unos unas al del cada todo todos toda todas algún alguna este esta estos estas"
        ),
        definite=words("el la los las al del"),
        interrogatives=words("qué cuál cuáles cuánto cuánta cuántos cuántas"),
        breaks=words("y e o pero si cuando mientras antes después porque que quien donde aunque para sin"),
        light=words("exactamente pasó ocurrió sucedió razón diferencia resultado causa consecuencias ejemplo explica"),
        drops_subject=True,
    ),
    "it": AnaphoraLexicon(
        openers=words("e ed ma o"),
        asides=("che dire di", "che ne è di", "che mi dici di", "e che dire di"),
        pronouns=words("lui lei egli essa esso essi esse"),
        possessives=words("suo sua suoi sue loro"),
        demonstratives=words("questo questa questi queste quello quella quelli quelle quel quell ciò lì là allora"),
        final=words("lì là"),
        clitics=re.compile(
            r"\bl['’](?:ha|hanno|aveva|avevano)\b|\b(?:lo|la|li|le) (?:ha|hanno|aveva|[^\W\d_]{2,}(?:ò|ava|eva))\b",
            re.IGNORECASE,
        ),
        determiners=words(
            "il lo la i gli le l un uno una del dello della dei degli delle al alla nel nella ogni questo questa "
            "questi queste"
        ),
        definite=words("il lo la i gli le l del dello della dei al alla nel nella"),
        interrogatives=words("qual quale quali quanto quanta quanti quante"),
        breaks=words("e ed o ma se quando mentre prima dopo perché che chi dove sebbene per senza"),
        light=words(
            "esattamente successo accaduto ragione motivo differenza risultato causa conseguenze esempio spiega"
        ),
        drops_subject=True,
    ),
    "pt": AnaphoraLexicon(
        openers=words("e mas ou"),
        asides=("que tal", "e quanto a", "e quanto ao", "e quanto à", "quanto a"),
        pronouns=words("ele ela eles elas lhe lhes dele dela deles delas nele nela neles nelas"),
        possessives=words("seu sua seus suas"),
        demonstratives=words(
            "esse essa esses essas isso isto aquele aquela aquilo nesse nessa desse dessa disso nisso ali então lá "
            "nesta neste desta deste"
        ),
        final=words("lá aí este esta"),
        clitics=re.compile(r"[^\W\d_]-(?:l?[oa]s?|lhes?)\b", re.IGNORECASE),
        determiners=words(
            "o a os as um uma uns umas ao à aos às do da dos das no na nos nas pelo pela cada todo toda este esta "
            "estes estas"
        ),
        definite=words("o a os as ao à do da no na pelo pela"),
        interrogatives=words("qual quais quanto quanta quantos quantas"),
        breaks=words("e ou mas se quando enquanto antes depois porque que quem onde embora para sem"),
        light=words(
            "exatamente aconteceu ocorreu razão motivo diferença resultado causa consequências exemplo explique"
        ),
        drops_subject=True,
    ),
}

PERSONAL = {
    "en": words("he she him her his hers himself herself"),
    "es": words("él ella"),
    "it": words("lui lei egli ella"),
    "zh": words("他 她"),
    "ja": words("彼 彼女"),
}
"""Pronouns that nearly always refer to persons."""

WHO = {
    "en": words("who whom whose"),
    "de": words("wer wen wem wessen"),
    "fr": words("qui"),
    "es": words("quién quiénes"),
    "it": words("chi"),
    "pt": words("quem"),
    "zh": words("谁"),
    "ja": words("誰 だれ"),
}
"""Question words for persons."""

COPULAS = {
    "en": words("is was are were"),
    "de": words("ist war sind waren"),
    "fr": words("est était sont étaient fut"),
    "es": words("es era fue son eran fueron"),
    "it": words("è era fu sono erano furono"),
    "pt": words("é era foi são eram foram"),
}
"""Copulas between "who" and a name, in questions for the identity of a person."""

SCRIPT_IDENTITY = re.compile(r"[^\W\d]+(?:是谁|は(?:誰|だれ)(?:ですか|でしたか)?)\W*")
"""Questions for the identity of a person, in Chinese and Japanese."""

ONLY_WHY = re.compile(
    r"\W*(?:(?:and|but|und|aber|y|et|mais|e|ma|mas) )?"
    r"(?:why|how come|how so|warum|wieso|weshalb|pourquoi|perché|por qu[eéê]"
    r"|porquê|为什么|为何|なぜ|どうして)(?: not| nicht|呢|ですか)?\W*",
    re.IGNORECASE,
)
"""Questions that ask only for a reason."""

DOCUMENTS = words(
    "document documents text texts file files contract contracts agreement agreements manual manuals book books paper "
    "papers article articles report reports collection corpus folder letter letters page pages policy "
    "dokument dokumente dokumenten text texte texten datei dateien vertrag vertrags verträge gesetz handbuch buch "
    "bericht berichte sammlung ordner richtlinie "
    "texte textes fichier fichiers contrat contrats manuel livre rapport rapports dossier "
    "documento documentos texto textos archivo archivos contrato contratos libro informe carpeta documenti testo testi "
    "contratto libro manuale rapporto cartella arquivo arquivos livro relatório pasta"
)
"""Nouns that after a proximal demonstrative ("these documents") mean the searched documents, not an antecedent."""

PROXIMAL = words(
    "this these dieser diese dieses diesem diesen cet cette ces este esta estos estas questo questa questi queste "
    "nesta neste desta deste"
)
"""Proximal demonstratives."""

ASKING = {
    "en": words(
        "who whom what when where why how is are was were be been has have had do does did can could may might must "
        "should will would"
    ),
    "de": words(
        "wer wen wem was wann wo wie warum wieso weshalb wohin woher ist sind war waren wurde wurden hat hatte haben "
        "kann muss soll darf wird"
    ),
    "fr": words("qui que quoi quand où pourquoi comment est sont était a ont"),
    "es": words("quién quiénes cuándo dónde cómo es son fue fueron está hay ha"),
    "it": words("chi che cosa quando dove come perché è sono fu ha era"),
    "pt": words("quem que quando onde como porque é são foi foram está há tem"),
}
"""Question words and auxiliaries; a fragment has neither."""

DEFINES = re.compile(
    r"\W*(?:(?:qué|que|o que|che|cosa|che cosa) (?:es|son|é|são|è|sono)|cos['’]è|hay|há|c['’]è)\b", re.IGNORECASE
)
"""Openings of questions for a definition or for existence."""

PLEONASTIC = re.compile(
    r"\bit (?:take|cost|require|mean|feel|matter|make sense|true|possible|impossible|legal|illegal|lawful|allowed|"
    r"permitted|necessary|mandatory|safe|important|worth|better|best|easy|hard|difficult|common|normal|okay|ok|correct|"
    r"right|wrong|enough|advisable|useful)\b.*\b(?:to|that|if|when|for|whether|\w+ing)\b"
    r"|\bit (?:that|who)\b|\btime is it\b|\bis it (?:raining|snowing)\b",
    re.IGNORECASE,
)
"""Pleonastic uses of English "it"."""

_ASKING_ZH = (
    r"(?:请问|那么?|后来|然后|谁|什么时候|什么人|什么|何时|何地|何|哪里|哪儿|哪年|哪些|哪个|哪|为什么|为何|怎么|怎样|如何"
    r"|多少|几|在|从|是|和|与|跟|由|对|把|被|给|关于|又|还|当|，)"
)
_ASKING_JA = (
    r"(?:では|じゃあ|それでは|誰|だれ|何|なに|いつ|どこ|なぜ|どうして|どうやって|どの|どんな|いくつ|が|は|に|を|で|と|も|の|から"
    r"|、|年|人|時)"
)
SCRIPT_ANAPHORA = {
    "zh": re.compile(
        rf"^{_ASKING_ZH}*(?:[\u4e00-\u9fff]{{1,2}}了?)?(?<!其)(?<!吉)(?<!应)"
        rf"(?:[他她它]们?|该[^\W]|此|其(?![他中实余])|这(?!样)|那(?!么|样)|当时|后者|前者)"
        rf"|^(?:为什么|为何|什么时候|何时|在?哪里|谁|多少|多久|多高|多大|怎么样|如何|后来)呢?[？?]?$"
    ),
    "ja": re.compile(
        rf"^{_ASKING_JA}*(?:その|それ|そこ|そちら|この|これ|ここ|あの|あれ|彼女?ら?|当時|同[社年国人]|前者|後者)"
        rf"|^(?:なぜ|どうして|いつ|どこ|誰|だれ|どのくらい|いくつ|何)(?:ですか|でしたか)?[？?。]?$"
    ),
}
"""Anaphora in Chinese and Japanese: preceded only by question words, or questions that consist only of those."""

SCRIPT_FRAGMENTS = {
    "zh": re.compile(r"^(?:那么?)?(?P<of>.{1,20})呢[？?]?$"),
    "ja": re.compile(
        r"^(?:では|じゃあ)?、?(?![そこ][のれこ]|彼)(?P<of>.{1,20}?)(?:は|についてはどうですか|はどうですか)[？?。]?$"
    ),
}
"""Fragments that repeat the last question for another topic."""
