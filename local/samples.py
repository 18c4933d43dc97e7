"""A small company that chats, and what is expected of the bot's verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from local.slack.workspace import Channel, Message, Person, Workspace

CHANNEL = "C0GENERAL1"
PRIVATE_CHANNEL = "G0LEADS001"
VIEWER = "U0YOU00001"
RAE, SAM, NOOR, TOMAS = "U0RAE00001", "U0SAM00001", "U0NOOR0001", "U0TOMAS001"
PEOPLE = (
    Person(VIEWER, "You"),
    Person(RAE, "Rae Lindqvist"),
    Person(SAM, "Sam Okafor"),
    Person(NOOR, "Noor Haddad"),
    Person(TOMAS, "Tomás Vidal"),
)


class Expected(StrEnum):
    """What the bot should say of a sample."""

    FINE = "fine"
    TOXIC = "toxic"
    NOTHING = "no text"


@dataclass(frozen=True, slots=True)
class Sample:
    """A message of the demo.

    Parameters
    ----------
    user
        Who writes it.
    text
        Slack mrkdwn.
    expected
        The verdict.
    deliveries
        How many times Slack delivers the reaction to it.
    in_thread
        Whether it replies to the sample before it.
    file_names
        Files that hang on it.
    """

    user: str
    text: str
    expected: Expected
    deliveries: int = 1
    in_thread: bool = False
    file_names: tuple[str, ...] = ()


_RELEASE_NOTES = " ".join(
    f"Step {number}: the {what} was moved to the new cluster, checked against the old one and "
    "signed off by two people; no customer noticed, and the graphs stayed flat all evening."
    for number, what in enumerate(
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
        NOOR, "I know where you live and I will hurt you if you show up tomorrow.", Expected.TOXIC
    ),
    Sample(
        TOMAS,
        f"{_RELEASE_NOTES} And whoever broke the build: I will find you and break your legs, "
        "you disgusting moron.",
        Expected.TOXIC,
    ),
    Sample(RAE, ":tada: :rocket: :heart:", Expected.FINE),
    Sample(SAM, "", Expected.NOTHING, file_names=("architecture.pdf",)),
    Sample(
        NOOR,
        "Lunch at <https://example.com/menu|the new place> at noon? <@U0YOU00001> said it is good.",
        Expected.FINE,
    ),
)


EARLIER = (
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


def create_workspace(reactions: frozenset[str] = frozenset({"biohazard_sign"})) -> Workspace:
    """Return a workspace with people and two channels, and nothing said yet."""
    workspace = Workspace(reactions)
    for person in PEOPLE:
        workspace.add_person(person)
    everybody = {person.id for person in PEOPLE} | {workspace.bot.id}
    workspace.add_channel(Channel(CHANNEL, "general", members=set(everybody)))
    workspace.add_channel(
        Channel(PRIVATE_CHANNEL, "team-leads", private=True, members=set(everybody))
    )
    return workspace


def post_samples(workspace: Workspace, samples: tuple[Sample, ...] = SAMPLES) -> list[Message]:
    """Write samples into the channel, and return their messages."""
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
