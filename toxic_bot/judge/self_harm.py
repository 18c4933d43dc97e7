"""What people write about ending or harming their own lives, told from idioms.

Patterns, for each of the six languages. They are meant to be right rather than complete: somebody
who reads that they may need help although they were joking is told wrong, and a figure of speech
("this meeting makes me want to die", "kill myself laughing") is left alone. So is what is said
about others, denied, long past, conditional or quoted. What says it outright is strong; what people
also say lightly is weak, and counts only at the end of a clause and where nothing is light about
the text.

The patterns are alternatives without nested repetition, and read a text that was normalized before.
"""

from __future__ import annotations

import re
from functools import cache

from toxic_bot.judge.normalization import normalize

_END = (
    r"(?=\s*(?:$|[.,;:!?)]|(?:and|because|so|but|today|tonight|now|right now|every day|forever"
    r"|for good"
    r"|und|weil|aber|heute|fur immer|et|parce que|mais|car|aujourd'hui|pour toujours"
    r"|y|porque|pero|hoy|para siempre|e|mas|hoje|para sempre|ma|perche|oggi|per sempre)\b))"
)
_NOT_IF = r"(?!,? (?:if|when|whenever|unless|wenn|falls|si|s'il|s'ils|quand|cuando|se|quando)\b)"
_NOT_SAID = "".join(
    rf"(?<!\b{word} )"
    for word in (
        "do", "did", "if", "when", "think", "thinks", "thought", "says", "said", "whether", "like",
        "wenn", "dass", "denkt", "ob", "que", "qu'", "si", "no", "nao", "se", "che", "non",
    )
)  # fmt: skip

_ADVERBS_EN = (
    r"(?:(?:really|just|honestly|seriously|so|truly|only|still|sometimes|often|always|now|do) )"
    r"{0,3}"
)
_INTENT_EN = (
    rf"{_NOT_SAID}\bi(?:'m| am|'ve been| have been|'ll|'d| would)? {_ADVERBS_EN}"
    r"(?:want to|wanna|wish to|like to|feel like|plan to|planning to|planning on|going to|gonna"
    r"|about to|will|might|decided to|keep thinking (?:about|of)|think (?:about|of)"
    r"|thinking (?:about|of)|am thinking of) "
)
_WISH_EN = rf"{_NOT_SAID}\bi {_ADVERBS_EN}(?:want to|wanna|feel like|keep wanting to) "

_STRONG = (
    # English
    rf"{_INTENT_EN}(?:kill|killing|hang|hanging|shoot|shooting|drown|drowning) myself"
    r"(?! (?:in the foot|laughing|out|off|with laughter))",
    rf"{_WISH_EN}(?:hurt|hurting|harm|harming|cut|cutting) myself"
    r"(?! (?:some|a|off|short|loose|out)\b)",
    rf"{_INTENT_EN}(?:end|ending|take|taking) my (?:own )?life\b"
    r"(?! (?:insurance|policy|subscription|story|savings|partner|into|back|out|to|in)\b)",
    rf"{_WISH_EN}end it all",
    rf"{_INTENT_EN}(?:suicide|committing suicide|commit suicide)"
    r"(?! (?:prevention|awareness|rates?|squad|statistics|hotlines?|lines?|notes?|risks?))",
    rf"{_NOT_SAID}\bi (?:really )?(?:don't|do not|dont) want to live (?:any ?more|any longer)"
    r"(?! (?:in|at|with|here|there|on|like|next|under))",
    r"\bi (?:don't|do not|dont) want to be alive\b",
    rf"{_NOT_SAID}\bi {_ADVERBS_EN}wish i (?:was|were) (?:dead|never born)\b",
    r"\bi wish i had never been born\b",
    rf"{_NOT_SAID}\bi(?:'m| am| feel|'ve been(?: feeling)?| have been(?: feeling)?) "
    rf"{_ADVERBS_EN}suicidal\b",
    r"\bi(?:'ve| have)?(?: been)?(?: having| have| had)? suicidal thoughts\b",
    r"\b(?:every ?one|every ?body|they|you all|my family|my kids) (?:would|'d|will) be better off "
    r"(?:without me(?=\s*(?:$|[.!?,]))|if i (?:was|were) dead)",
    r"\bi(?:'d| would) be better off dead\b(?! than)",
    r"\bi have (?:nothing|no reason)(?: left)? to live(?: for)?(?=\s*(?:$|[.!?,]))",
    # German
    rf"{_NOT_SAID}\bich (?:(?:wirklich|einfach|nur noch|jetzt) )?(?:will|mochte|werde|muss) "
    r"(?:(?:wirklich|einfach|nur noch|endlich|jetzt|heute) ){0,2}(?:mich|mir) "
    r"(?:(?:wirklich|einfach|nur noch|endlich|jetzt|heute) ){0,2}(?:selbst )?"
    r"(?:umbringen|toten|erhangen|erschiessen"
    r"|etwas antun|was antun"
    r"|das leben nehmen)(?! lassen)",
    r"\bich (?:bringe|bring) mich (?:heute |jetzt |noch )?um(?=\s*(?:$|[.!]))",
    r"\bich nehme mir das leben\b",
    rf"{_NOT_SAID}\bich (?:will|mochte|kann) (?:einfach )?nicht mehr (?:weiter)?leben"
    r"(?=\s*(?:$|[.,;!?]))",
    r"\bich (?:denke|denk) (?:oft |standig |immer |viel )?an (?:selbstmord|suizid)\b",
    r"\bich habe (?:oft |wieder )?(?:suizidgedanken|selbstmordgedanken)\b",
    r"\bich bin suizidal\b",
    r"\bich (?:wunschte|wunsche mir),? (?:dass )?ich (?:ware |nie geboren|war )?"
    r"(?:tot|nie geboren)(?: ware| worden)?\b",
    r"\bohne mich (?:waren|war) (?:alle|ihr|meine familie) besser dran\b",
    # French
    rf"{_NOT_SAID}\bje (?:(?:veux|voudrais|vais) (?:vraiment |juste )?|pense (?:souvent )?a )"
    r"(?:me (?:tuer|suicider|pendre|faire du mal)|mettre fin a (?:mes jours|ma vie)"
    r"|en finir avec (?:la|ma) vie)(?! (?:a|au|de)\b)",
    r"\bj'ai (?:souvent |tres |vraiment )?envie de (?:me tuer|me suicider|mettre fin a mes jours"
    r"|en finir avec la vie)(?! a)",
    rf"{_NOT_SAID}\bje (?:ne |n')?(?:veux|ai) (?:plus |plus envie de )vivre(?=\s*(?:$|[.,;!?]))",
    r"\bje pense (?:souvent )?au suicide(?! assiste)",
    r"\bj'ai des (?:idees|pensees|envies) suicidaires\b",
    r"\bje suis suicidaire\b",
    r"\b(?:j'aimerais|je voudrais) etre morte?\b",
    # Spanish
    rf"{_NOT_SAID}\b(?:quiero|quisiera|voy a|pienso|pienso en|he pensado en|me gustaria) "
    r"(?:suicidarme|matarme|ahorcarme|quitarme la vida|hacerme dano"
    r"|(?:acabar|terminar) con mi vida)"
    r"(?! (?:de|a)\b)",
    rf"{_NOT_SAID}\bme (?:quiero|voy a) (?:suicidar|quitar la vida|ahorcar)\b",
    r"\b(?:ya )?no quiero (?:seguir viviendo|vivir mas)(?=\s*(?:$|[.,;!?]))",
    r"\btengo (?:pensamientos|ideas) suicidas\b",
    r"\bpienso (?:mucho |a menudo )?en el suicidio\b",
    r"\bojala (?:estuviera|estuviese) muert[oa]\b",
    r"\btodos estarian mejor sin mi(?=\s*(?:$|[.!?,]))",
    # Portuguese
    rf"{_NOT_SAID}\b(?:quero|vou|queria|penso em|pensei em|pretendo|tenho vontade de"
    r"|estou pensando em) "
    r"(?:me (?:matar|suicidar|enforcar|machucar)|(?:tirar|acabar com) a? ?minha (?:propria )?vida)"
    r"(?! (?:de|para|pra|estudando|trabalhando)\b)",
    r"\bnao quero mais viver(?=\s*(?:$|[.,;!?]))",
    r"\btenho pensamentos suicidas\b",
    r"\bqueria estar mort[oa]\b",
    r"\b(?:todos|voces) (?:estariam|ficariam) melhor sem mim(?=\s*(?:$|[.!?,]))",
    # Italian
    rf"{_NOT_SAID}\b(?:voglio|vorrei|sto per|penso di|ho deciso di|ho voglia di) (?:solo )?"
    r"(?:uccidermi|ammazzarmi|suicidarmi|impiccarmi|togliermi la vita|farla finita|farmi del male)"
    r"(?! (?:di|con|dalle)\b)",
    rf"{_NOT_SAID}\bmi voglio (?:uccidere|suicidare|ammazzare|togliere la vita)\b(?! di)",
    r"\bnon voglio piu vivere(?=\s*(?:$|[.,;!?]))",
    r"\bho (?:dei )?pensieri (?:suicidi|di suicidio)\b",
    r"\bpenso (?:spesso )?al suicidio\b",
    r"\bvorrei essere mort[oa]\b",
    r"\b(?:tutti starebbero|stareste) meglio senza di me(?=\s*(?:$|[.!?,]))",
)  # fmt: skip

_WEAK = (
    rf"{_WISH_EN}(?:die|disappear|stop existing|be dead|not exist)(?: any ?more)?{_END}",
    rf"{_NOT_SAID}\bich (?:will|mochte) (?:(?:nur noch|einfach|nur) ){{0,2}}"
    rf"(?:sterben|verschwinden|tot sein){_END}",
    rf"{_NOT_SAID}\b(?:je veux|j'ai envie de) (?:juste )?(?:mourir|disparaitre){_END}",
    rf"{_NOT_SAID}(?<!\bme )\b(?:quiero|solo quiero) (?:morir|desaparecer){_END}",
    rf"{_NOT_SAID}\b(?:quero|so quero) (?:morrer|desaparecer){_END}",
    rf"{_NOT_SAID}\bvoglio (?:solo )?(?:morire|sparire|scomparire){_END}",
)

_LIGHT = re.compile(
    r"\b(?:lo+l|lma+o|lmfao|rofl|(?:ha){2,}h?|(?:he){2,}|(?:ja){2,}|(?:ah){2,}a?|k{3,}|(?:rs){2,}|mdr"
    r"|ptdr|xd+|jk|kidding|joking|laughing|laughter|tears of joy|rolling on the floor|zwinker\w*"
    r"|scherz|spass|blague|broma|brincadeira|scherzo|scherzando|smiley|grinning|wink(?:ing)?)\b"
    r"|(?:^|\W)/s\b|[:;]-?[)pd]|(?<!no )(?<!any )(?<!of )(?<!the )\b(?:joy|skull)\W*$"
)
_TOLD = re.compile(
    r"\b(?:said|says|saying|told me|wrote|quote|song|lyrics|movie|film|novel|episode|character|game"
    r"|sagt|sagte|roman|spiel|figur|dit|chanson|roman|jeu|dijo|dice|cancion|pelicula|juego|disse|musica"
    r"|filme|jogo|dice|canzone|gioco|every time|each time|whenever|jedes ?mal|chaque fois|cada vez"
    r"|toda vez|ogni volta|used to|years? ago|months ago|back then|had got|had gotten|fruher|damals"
    r"|vor jahren|autrefois|hace anos|anos atras|anni fa)\b"
    r"|^(?:if|when|unless|wenn|falls|si|quand|cuando|se|quando)\b"
    r"|(?<!know )(?<!matter )(?<!care )\bif (?:this|that|the|one|another|we|he|she|they|you|i|it)\b"
)
_MUNDANE = re.compile(
    r"\b(?:meetings?|stand-?ups?|sprints?|tickets?|jira|bugs?|builds?|deploys?|deployments?|merge|prs?"
    r"|reviews?|demos?|presentations?|slides|deadlines?|mondays?|spreadsheets?|excel|emails?|inbox"
    r"|compiler|css|regex|yaml|traffic|commute|gym|workout|squats|leg day|hangover|hungover|heat"
    r"|embarrass\w*|cringe|awkward|exams?|karaoke|typos?|coffee|cafe|printer|migration|montags?"
    r"|besprechung|peinlich|kater|hitze|stau|prasentation|reuni(?:ons?|ones|ao|oes)|lundi"
    r"|honte|chaleur|gueule de bois|lunes|verguenza|resaca|calor|segunda|vergonha|ressaca"
    r"|riunion[ei]|lunedi|vergogna|caldo|imbarazz\w*)\b"
)
_HINTS = (
    "myself", "my life", "my own life", "end it all", "suicid", "live any", "be alive", "was dead",
    "were dead", "never born", "been born", "better off", "to live", "to die", "wanna die",
    "like dying", "want to die", "disappear", "exist", "be dead", "umbringen", "toten", "erhangen",
    "erschiessen", "antun", "leben", "bringe mich", "bring mich", "selbstmord", "suizid",
    "besser dran", "sterben", "verschwinden", "tot sein", "ware tot", "nie geboren", "war tot",
    "me tuer", "me pendre", "du mal", "mes jours", "ma vie", "avec la vie", "vivre", "etre mort",
    "mourir", "disparaitre", "matarme", "ahorcar", "la vida", "hacerme dano", "mi vida", "viviendo",
    "vivir mas", "estuviera muert", "estuviese muert", "mejor sin mi", "morir", "desaparecer",
    "me matar", "me enforcar", "me machucar", "minha vida", "propria vida", "mais viver",
    "estar mort", "melhor sem mim", "morrer", "uccider", "ammazzar", "impiccarmi", "la vita",
    "farla finita", "farmi del male", "piu vivere", "essere mort", "senza di me", "sparire",
    "scomparire",
)  # fmt: skip
"""What every pattern has one of; a text without any, which nearly all are, is not looked at."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_QUOTE = '"'


@cache
def _pattern(alternatives: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a pattern when a text first needs it, and not while a function starts."""
    return re.compile("(?:" + "|".join(alternatives) + ")" + _NOT_IF)


def rest_of_self_harm(text: str) -> str | None:
    """Return what else a text says in which somebody speaks of ending or harming their own life.

    Parameters
    ----------
    text
        Plain text.

    Returns
    -------
    str or None
        None if it is about nothing of the kind.
    """
    read = normalize(text).lower()
    if not any(hint in read for hint in _HINTS) or _LIGHT.search(read):
        return None
    is_mundane = bool(_MUNDANE.search(read))
    rest, found = [], False
    for sentence in _SENTENCE.findall(read):
        part = sentence.strip()
        match = _pattern(_STRONG).search(part)
        if match is None and not is_mundane:
            match = _pattern(_WEAK).search(part)
        if match is None or _TOLD.search(part) or part[: match.start()].count(_QUOTE) % 2:
            rest.append(part)
            continue
        found = True
        rest.append(f"{part[: match.start()]} {part[match.end() :]}".strip())
    return " ".join(filter(None, rest)) if found else None
