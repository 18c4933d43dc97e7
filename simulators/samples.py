"""The sample workspace: people, channels, messages and the verdicts expected on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from simulators.slack.workspace import Channel, Message, Person, Workspace

CHANNEL = "C0GENERAL1"
PRIVATE_CHANNEL = "G0LEADS001"
MODERATORS, SAFETY = "C0MODS0001", "C0SAFE0001"
NOTE_LIMIT = "80"
"""The score in percent from which the sample workspace's moderators get a note."""
VIEWER = "U0YOU00001"
RAE, SAM, NOOR, TOMAS = "U0RAE00001", "U0SAM00001", "U0NOOR0001", "U0TOMAS001"
PEOPLE = (
    Person(VIEWER, "You", is_admin=True),
    Person(RAE, "Rae Lindqvist"),
    Person(SAM, "Sam Okafor"),
    Person(NOOR, "Noor Haddad"),
    Person(TOMAS, "Tomás Vidal"),
)


class Expected(StrEnum):
    """The verdict expected on a sample."""

    FINE = "fine"
    TOXIC = "toxic"
    NOTHING = "not judged"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample message for the demo.

    Parameters
    ----------
    user
        ID of its author.
    text
        Slack mrkdwn.
    expected
        The expected verdict.
    kind
        The kind of toxicity that has to be named first, if it matters.
    deliveries
        Number of times that Slack delivers the reaction to it.
    in_thread
        Whether it is a reply to the previous sample.
    file_names
        Names of the attached files.
    """

    user: str
    text: str
    expected: Expected
    kind: str = ""
    deliveries: int = 1
    in_thread: bool = False
    file_names: tuple[str, ...] = ()


_RELEASE_NOTES = " ".join(
    f"Step {number}: the {system} was moved to the new cluster, checked against the old one and "
    "signed off by two people; no customer noticed, and the graphs stayed flat all evening."
    for number, system in enumerate(
        (
            "billing database",
            "search index",
            "mail queue",
            "login service",
            "image store",
            "audit log",
            "report builder",
            "calendar sync",
            "payment gateway",
            "status page",
        ),
        start=1,
    )
)

SAMPLES = (
    Sample(RAE, "Thanks so much for staying late yesterday, the launch went great!", Expected.FINE),
    Sample(RAE, "안녕하세요! 회의는 세 시에 시작합니다.", Expected.NOTHING),
    Sample(RAE, ":tada: :rocket: :heart:", Expected.FINE),
    Sample(SAM, "", Expected.NOTHING, file_names=("architecture.pdf",)),
    Sample(
        NOOR,
        "Lunch at <https://example.com/menu|the new place> at noon? <@U0YOU00001> said it is good.",
        Expected.FINE,
    ),
    Sample(
        SAM,
        "Code review: this function does three things, could you split it? "
        "Also `kill_switch` is never called.",
        Expected.FINE,
    ),
    Sample(NOOR, "If it hangs again, just kill the process and restart the worker.", Expected.FINE),
    Sample(TOMAS, "Damn, good catch! I would have missed that off-by-one.", Expected.FINE),
    Sample(
        RAE,
        "You are a pathetic idiot and everybody here is sick of you.",
        Expected.TOXIC,
        deliveries=3,
    ),
    Sample(TOMAS, "Could we all calm down, please?", Expected.FINE, in_thread=True),
    Sample(SAM, "Nobody likes you, you worthless piece of garbage. Quit already.", Expected.TOXIC),
    Sample(
        NOOR,
        "I know where you live and I will hurt you if you show up tomorrow.",
        Expected.TOXIC,
        kind="threat",
    ),
    Sample(
        SAM,
        "People who go to HR about me end up in hospital, Tomás. Think about it.",
        Expected.TOXIC,
        kind="threat",
    ),
    Sample(SAM, "Tu peux tuer le process et relancer le worker ? Merci !", Expected.FINE),
    Sample(
        TOMAS,
        f"{_RELEASE_NOTES} And whoever broke the build: I will find you and break your legs, "
        "you disgusting moron.",
        Expected.TOXIC,
    ),
    Sample(NOOR, "Du bist der größte Vollidiot im ganzen Team.", Expected.TOXIC),
    Sample(
        SAM,
        "How sweet that you tried, Noor. Next time leave it to somebody who understands it.",
        Expected.TOXIC,
    ),
    Sample(
        NOOR,
        "You magnificent bastard, you fixed it! Beers are on me tonight :beers:",
        Expected.FINE,
    ),
)

EVENT_MESSAGES = (
    Message(CHANNEL, "1766000000.000100", RAE, "You are a pathetic idiot and you should quit."),
    Message(CHANNEL, "1766000000.000200", SAM, "The deploy failed twice today."),
    Message(
        CHANNEL,
        "1766000000.000300",
        NOOR,
        "Thanks for looking into it so quickly!",
        thread_ts="1766000000.000200",
    ),
    Message(PRIVATE_CHANNEL, "1766000000.000400", TOMAS, "Shut up, you worthless clown."),
)
"""The messages that the sample events in ``events/`` are about."""


AMPLE_BUDGETS = {"UserBudget": "9999", "ChannelBudget": "9999"}
"""Parameters of the template for a few people who ask more often than people do."""


def create_workspace(
    reactions: frozenset[str] = frozenset({"biohazard_sign"}), *, locale: str = "en-US"
) -> Workspace:
    """Return a workspace with people and two channels, but no messages.

    Parameters
    ----------
    reactions
        Short names of the emoji that request a verdict.
    locale
        The viewer's.
    """
    workspace = Workspace(reactions)
    for person in PEOPLE:
        is_viewer = person.id == VIEWER
        workspace.add_person(replace(person, locale=locale) if is_viewer else person)
    everybody = {person.id for person in PEOPLE} | {workspace.bot.id}
    workspace.add_channel(Channel(CHANNEL, "general", members=set(everybody)))
    workspace.add_channel(
        Channel(PRIVATE_CHANNEL, "team-leads", private=True, members=set(everybody))
    )
    return workspace


def add_moderators(workspace: Workspace) -> dict[str, str]:
    """Add a channel of moderators, and return the template's parameters that name it."""
    members = set(workspace.channels[CHANNEL].members)
    workspace.add_channel(Channel(MODERATORS, "moderators", members=members))
    return {"Moderators": MODERATORS, "ModeratorNotes": NOTE_LIMIT}


def add_safety(workspace: Workspace) -> dict[str, str]:
    """Add a channel for what is urgent, and return the template's parameters that name it."""
    members = set(workspace.channels[CHANNEL].members)
    workspace.add_channel(Channel(SAFETY, "safety", members=members))
    return {"Urgent": SAFETY, "HelpLines": "on"}


def post_samples(workspace: Workspace, samples: tuple[Sample, ...] = SAMPLES) -> list[Message]:
    """Post samples to the public channel and return their messages."""
    messages: list[Message] = []
    for sample in samples:
        parent = messages[-1].ts if sample.in_thread and messages else None
        messages.append(
            workspace.post(
                CHANNEL,
                sample.user,
                sample.text,
                thread_ts=parent,
                file_names=sample.file_names,
            )
        )
    return messages
