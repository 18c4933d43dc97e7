"""English words that hold a sentence together and say nothing alone."""

from __future__ import annotations

_WORDS = """
a an the this that these those there here
i me my mine myself we us our ours ourselves you your yours yourself yourselves u ur
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose which what when where why how
and or but nor so yet if then than because as while although though since until unless like
of at by for with about against between into through during before after above below to from
up down in out on off over under onto upon within without
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'll
we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's let's
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't
shouldn't can't cannot couldn't mustn't not
again also too very just only own same such more most other some any each few both all
please well oh hey hi yes ok okay
"""

FUNCTION_WORDS = frozenset(_WORDS.split())
"""In lower case, with straight apostrophes."""
