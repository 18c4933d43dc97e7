"""People who write of ending or harming their own lives are told from those who use an idiom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge import self_harm
from toxic_bot.judge.self_harm import rest_of_self_harm

ABOUT_THEMSELVES = """
I want to disappear
I want to kill myself
i wanna kill myself.
I just want to die.
I don’t want to live anymore.
I'm thinking about suicide
I've been thinking about ending my life
I wish I was dead
I feel suicidal
My therapist says I should tell one person. So: I've been suicidal since January.
Everyone would be better off without me.
I want to hurt myself
I really want to end it all.
I am going to kill myself tonight
I don't know if I can do this. I want to kill myself.
Sorry for the silence. I want to die and nobody would notice.
I have no reason to live
Ich will sterben.
Ich will nicht mehr leben.
Ich möchte mich umbringen
ich will mich einfach nur noch umbringen
Ich will mir das Leben nehmen
ich will einfach nur noch verschwinden
Ich habe Suizidgedanken.
Ich wünschte, ich wäre tot.
Ich bringe mich um.
Je veux mourir.
Je veux me suicider
J’ai envie de me tuer
je ne veux plus vivre
Je veux disparaître.
Je pense au suicide
Quiero morir.
Quiero suicidarme
Ya no quiero vivir más.
Quiero desaparecer
Voy a quitarme la vida.
Quero morrer.
Eu quero me matar
Não quero mais viver.
Quero desaparecer
Vou tirar minha vida
Voglio morire.
Voglio uccidermi
Non voglio più vivere
Voglio sparire
Voglio farla finita.
Penso al suicidio
""".strip().splitlines()

IDIOMS_AND_OTHERS = """
this meeting makes me want to die lol
kill myself laughing
I almost killed myself laughing
I want to die of embarrassment
I want to die 😂
I want to die :joy:
I literally want to die
I want to die on this hill
I'm going to kill myself if I have to review another PR
If this build fails again I'm going to kill myself
I want to kill the process
I want to kill that idea myself
I don't want to kill myself over this
I don't want to live here anymore
I don't want to live in Berlin anymore
I want to disappear for a week in the mountains
I want to disappear into the woods
I could kill myself for forgetting the attachment
I'm going to shoot myself in the foot with this
I want to cut myself some slack
She said I want to kill myself and I was shocked
He wrote: "I want to kill myself."
He wants to kill himself
You should kill yourself
kys
I'm thinking about suicide prevention training
Every time I open Jira I want to die
ugh, Monday. I want to die.
The team would be better off without me in this meeting
I want to end my life insurance policy
I'm dying to see the new release
I want the pop-up to disappear
I used to want to kill myself, today I am fine
I had got to the point of thinking everyone would be better off without me, and got help
Früher dachte ich, ich will sterben.
Who else will be at the suicide prevention week?
Ich lach mich tot
Ich will im Boden versinken
Ich könnte mich umbringen, dass ich das vergessen habe
Ich will nicht mehr in Berlin leben
Ich bringe mich um, wenn der Build wieder rot ist
Ich will nicht sterben
Ich sterbe vor Hunger
Ich will umbringen, was hier an Prozessen läuft
Bring dich um
Je suis mort de rire
Je vais mourir de faim
Je veux mourir de rire
Je me tue à te le dire
Je ne veux pas mourir
Je ne veux plus vivre à Paris
Me quiero morir de vergüenza
me quiero matar, olvidé las llaves
No quiero morir
Quiero morir de risa
Me muero de hambre
Quiero desaparecer del mapa una semana
Quero morrer kkkk
quero morrer, 3 reuniões em fila e o café acabou
Quiero morir, tres reuniones seguidas
Vou me matar de trabalhar
Não quero morrer
Tô morrendo de fome
Voglio morire dal ridere
Mi ammazzo di lavoro
Non voglio morire
Muoio di fame
Voglio sparire per una settimana
""".strip().splitlines()


@pytest.mark.parametrize("text", ABOUT_THEMSELVES)
def test_who_speaks_of_ending_their_own_life_is_heard(text: str) -> None:
    assert rest_of_self_harm(text) is not None
    assert rest_of_self_harm(f"Good morning. {text.upper()}") is not None


@pytest.mark.parametrize("text", IDIOMS_AND_OTHERS)
def test_a_figure_of_speech_is_left_alone_and_so_is_what_is_about_others(text: str) -> None:
    assert rest_of_self_harm(text) is None


def test_what_else_a_text_says_is_left_to_be_judged() -> None:
    rest = rest_of_self_harm("I will find you and break your legs. I want to kill myself.")
    assert rest == "i will find you and break your legs. ."


@given(st.text(max_size=200))
def test_nothing_that_people_write_breaks_it(text: str) -> None:
    rest = rest_of_self_harm(text)
    assert rest is None or len(rest) <= 20 * len(text) + 20


@pytest.mark.slow
@pytest.mark.parametrize("text", ["i really " * 6_000, "myself " * 8_000, '"' * 50_000 + "to die"])
def test_the_longest_texts_are_read_to_their_end(text: str) -> None:
    assert rest_of_self_harm(text) is None


def test_a_text_that_speaks_of_nothing_like_it_waits_for_no_pattern() -> None:
    self_harm._pattern.cache_clear()
    assert rest_of_self_harm("Thanks, could you have another look at the build please?") is None
    assert self_harm._pattern.cache_info().currsize == 0
