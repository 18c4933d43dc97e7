"""Cases, from a report or a note to their outcome, in a local Slack and both stores."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handler.case_table import CaseTable
from simulators.slack.faults import Fault
from simulators.slack.workspace import Message, Person
from tests.aws_account import dynamodb
from tests.slack.moderators.desk import Desk, chosen, entered, shown
from tests.slack.moderators.scene import CHANNEL, DIRECT, INSULT, MODERATORS, Scene
from tests.slack.web_api.test_events import JSON
from tests.slack.web_api.test_interactions import parse_payload
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import Case, CaseStore, State
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.case_gestures import CaseClick, CaseForm, Step
from toxic_bot.slack.gestures.event_gestures import HomeVisit
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests.case_form import CALLBACK, CasePlace
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.retry import OutcomeUnknownError, RateLimitedError, TryAgainError
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.database import Database

MOD, OTHER_MOD, STRANGER = "U0MOD", "U0MOD2", "U0STRANGER"
LETTER = "Please apologize to the team."
WORDS = ENGLISH["case"]


@pytest.fixture(params=[pytest.param("dynamodb", marks=pytest.mark.slow), "sqlite"])
def cases(request: pytest.FixtureRequest, scene: Scene, tmp_path: Path) -> Iterator[CaseStore]:
    if request.param == "dynamodb":
        yield CaseTable(dynamodb(), "claims")
        return
    scene.database = Database(tmp_path / "bot.sqlite")
    yield SQLiteCases(scene.database)
    scene.database.close()


@pytest.fixture
def office(scene: Scene, cases: CaseStore) -> Office:
    return Office(scene, cases)


class Office(Desk):
    """Moderators, and the bot."""

    def __init__(self, scene: Scene, store: CaseStore, **environment: str) -> None:
        super().__init__(scene, **environment)
        self.store = store
        for user in (OTHER_MOD, STRANGER):
            scene.workspace.add_person(Person(user, user.lower()))
        scene.workspace.channels[MODERATORS].members |= {OTHER_MOD}

    def opened(self, message: Message | None = None, name: str = "named") -> Message:
        """Report a message, and return the case's post."""
        message = message or self.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
        self.report(message, entered(name=name))
        return self.cases()[-1]

    def press(self, post: Message, step: Step, user: str = MOD) -> Gesture:
        """Click a button of a case; what the bot makes of it is left to `handle`."""
        self.scene.interactivity.click(MODERATORS, post.ts, user, f"case_{step}")
        return self.gestures[-1]

    def click(self, post: Message, step: Step, user: str = MOD) -> None:
        self.handle(self.press(post, step, user))

    def fill_in(self, values: dict[str, Any], user: str = MOD) -> CaseForm:
        before = len(self.gestures)
        assert self.scene.interactivity.submit_view(user, values).result() == {}
        assert len(self.gestures) == before + 1
        form = self.gestures[-1]
        assert isinstance(form, CaseForm)
        return form

    def form(
        self, post: Message, step: Step, values: dict[str, Any] | None = None, user: str = MOD
    ) -> CaseForm:
        """Open a form and submit it; what the bot makes of it is left to `handle`."""
        self.click(post, step, user)
        if values is None:
            values = {"letter": {"value": {"value": LETTER}}} if step in LETTERS else {}
        return self.fill_in(values, user)

    def do(
        self, post: Message, step: Step, values: dict[str, Any] | None = None, user: str = MOD
    ) -> None:
        self.handle(self.form(post, step, values, user))

    def close(self, post: Message, outcome: str = "talked_to", user: str = MOD) -> None:
        self.do(post, Step.CLOSE, {"outcome": chosen(outcome)}, user)

    def case(self, post: Message) -> Case:
        [case] = [one for one in self.all_cases() if one.post == post.ts]
        return case

    def all_cases(self) -> list[Case]:
        ids = {one.case for one in self.gestures if isinstance(one, (CaseClick, CaseForm))}
        ids |= {one.id for one in self.store.unclosed()}
        found = (self.store.read(one) for one in sorted(ids))
        return [one for one in found if one is not None]

    def told(self, user: str = MOD) -> list[str]:
        """Return what a moderator was told in private, the latest last."""
        messages = self.scene.workspace.messages(MODERATORS)
        return [one.text for one in messages if one.only_for == user]

    def letters(self, user: str = "U0WROTE") -> list[Message]:
        return self.scene.workspace.messages(f"D{user[1:]}")

    def home(self, user: str) -> str:
        self.handle(
            HomeVisit(f"Ev{next(self.scene.numbers)}", f"{self.scene.clock():.6f}", "T0001", user)
        )
        return json.dumps(self.scene.workspace.homes[user], ensure_ascii=False)

    def cases(self) -> list[Message]:
        return [one for one in super().cases() if one.only_for is None]


LETTERS = (Step.WRITE, Step.ASK_EDIT)


def buttons(post: Message) -> list[str]:
    return [one["action_id"].removeprefix("case_") for one in post.blocks[-1]["elements"]]


def test_a_report_becomes_an_open_case_with_buttons(office: Office) -> None:
    post = office.opened()
    assert "*Open*" in shown(post)
    assert buttons(post) == ["take", "close", "write", "ask_edit", "flag", "remove"]
    case = office.case(post)
    assert (case.state, case.author, case.reporter) == (State.OPEN, "U0WROTE", "U0ASKS")
    assert (case.reason, case.verdict, case.kinds) == ("insult", "toxic", "insult")
    assert case.link.endswith(case.ts.replace(".", ""))


def test_a_case_goes_from_open_to_taken_to_closed_in_the_same_post(office: Office) -> None:
    post = office.opened()
    about = post.blocks[:3]
    office.click(post, Step.TAKE)
    assert f"*Taken by <@{MOD}>*" in shown(post)
    assert buttons(post)[0] == "hand_back"
    office.close(post, "talked_to", OTHER_MOD)
    assert "*Closed: talked to the author*" in shown(post)
    assert f"<@{OTHER_MOD}> closed it: talked to the author" in shown(post)
    assert buttons(post) == ["reopen"]
    # What it is about stays, with what the reporter said.
    assert post.blocks[:3] == about
    assert office.cases() == [post]
    case = office.case(post)
    assert [(one.user, one.step) for one in case.trail] == [
        (MOD, Step.TAKE),
        (OTHER_MOD, Step.CLOSE),
    ]
    assert (case.state, case.outcome) == (State.CLOSED, "talked_to")
    office.click(post, Step.REOPEN)
    assert "*Open*" in shown(post)


def test_what_a_reporter_said_stays_as_it_was_however_often_the_post_is_updated(
    office: Office,
) -> None:
    word = "R&D <3, and &amp; is an entity"
    office.report(office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT), entered(word))
    post = office.cases()[-1]
    about = post.blocks[:3]
    office.click(post, Step.TAKE)
    office.click(post, Step.HAND_BACK)
    assert post.blocks[:3] == about
    assert about[1]["text"]["text"] == word


def test_a_case_that_is_handed_back_can_be_taken_by_somebody_else(office: Office) -> None:
    post = office.opened()
    office.click(post, Step.TAKE)
    office.click(post, Step.HAND_BACK, OTHER_MOD)
    office.click(post, Step.TAKE, OTHER_MOD)
    assert f"*Taken by <@{OTHER_MOD}>*" in shown(post)
    assert office.told(OTHER_MOD) == []


def test_the_second_of_two_moderators_is_told_who_took_the_case(office: Office) -> None:
    post = office.opened()
    first, second = office.press(post, Step.TAKE), office.press(post, Step.TAKE, OTHER_MOD)
    office.handle(first)
    office.handle(second)
    assert office.case(post).taken_by == MOD
    assert office.told(OTHER_MOD) == [f"<@{MOD}> has already taken this case."]
    assert office.told() == []


def test_two_moderators_who_are_handled_at_once_do_not_both_take_the_case(office: Office) -> None:
    post = office.opened()
    first, second = office.press(post, Step.TAKE), office.press(post, Step.TAKE, OTHER_MOD)
    faster = office.bot()
    office.scene.cases = Overtaken(office.store, lambda: office.handle(first, faster))
    office.handle(second)
    assert office.case(post).taken_by == MOD
    assert office.told(OTHER_MOD) == [f"<@{MOD}> has already taken this case."]
    assert f"*Taken by <@{MOD}>*" in shown(post)


def test_the_post_shows_the_latest_when_two_updates_cross(office: Office) -> None:
    post = office.opened()
    taken = office.press(post, Step.TAKE)
    closed = office.form(post, Step.CLOSE, {"outcome": chosen("fine")}, OTHER_MOD)
    # While the one who takes it is about to update the post, the other closes the case.
    crossing = Fault(before=lambda: office.handle(closed))
    office.scene.api.faults.add("chat.update", crossing)
    office.handle(taken)
    assert "*Closed: no problem found*" in shown(post)
    assert buttons(post) == ["reopen"]


def test_a_second_click_of_the_same_person_changes_nothing(office: Office) -> None:
    post = office.opened()
    twice = office.press(post, Step.TAKE), office.press(post, Step.TAKE)
    for click in twice:
        office.handle(click)
    assert len(office.case(post).trail) == 1
    assert office.told() == []


@pytest.mark.parametrize("step", [Step.TAKE, Step.HAND_BACK, Step.WRITE, Step.CLOSE])
def test_what_is_closed_is_not_touched_and_the_person_is_told_who_closed_it(
    office: Office, step: Step
) -> None:
    post = office.opened()
    late = office.press(post, Step.TAKE, OTHER_MOD)
    assert isinstance(late, CaseClick)
    office.close(post, "fine")
    office.handle(dataclasses.replace(late, step=step))
    assert office.told(OTHER_MOD) == [f"<@{MOD}> has already closed this case: no problem found."]
    assert office.scene.interactivity.modals.of(OTHER_MOD) is None
    assert office.case(post).state is State.CLOSED


def test_two_who_close_a_case_at_once_give_it_one_outcome(office: Office) -> None:
    post = office.opened()
    first = office.form(post, Step.CLOSE, {"outcome": chosen("fine")})
    second = office.form(post, Step.CLOSE, {"outcome": chosen("removed")}, OTHER_MOD)
    office.handle(first)
    office.handle(second)
    assert office.case(post).outcome == "fine"
    assert office.told(OTHER_MOD) == [f"<@{MOD}> has already closed this case: no problem found."]


def test_only_members_of_the_moderators_channel_may_act(office: Office) -> None:
    post = office.opened()
    office.click(post, Step.TAKE, STRANGER)
    office.close(post, "fine", STRANGER)
    office.do(post, Step.WRITE, user=STRANGER)
    case = office.case(post)
    assert (case.state, case.trail) == (State.OPEN, ())
    assert office.letters() == []
    assert office.told(STRANGER) == [WORDS["not_allowed"]]


def test_somebody_of_another_company_in_a_shared_channel_may_not_act(office: Office) -> None:
    post = office.opened()
    # As Slack describes them: of a workspace of theirs.
    office.scene.workspace.people[OTHER_MOD] = dataclasses.replace(
        office.scene.workspace.people[OTHER_MOD], team="T0THEIRS"
    )
    office.click(post, Step.TAKE, OTHER_MOD)
    assert office.case(post).state is State.OPEN


@pytest.mark.parametrize("method", ["chat.update", "conversations.members", "users.info"])
def test_a_click_that_slack_fails_is_made_up_for_and_counted_once(
    office: Office, method: str
) -> None:
    post = office.opened()
    click = office.press(post, Step.TAKE)
    office.scene.api.faults.add(method, Fault(error="ratelimited", status=429, retry_after=1))
    with contextlib.suppress(TryAgainError):
        office.handle(click)
    office.scene.clock_offset += 60
    office.handle(click)
    assert f"*Taken by <@{MOD}>*" in shown(post)
    assert len(office.case(post).trail) == 1


def test_a_click_that_comes_twice_is_done_once(office: Office) -> None:
    post = office.opened()
    click = office.press(post, Step.TAKE)
    for _ in range(3):
        office.handle(click)
        # Also when the claim has long been forgotten.
        office.scene.clock_offset += 4000
        if isinstance(click, CaseClick):
            click = dataclasses.replace(click, event_ts=f"{office.scene.clock():.6f}")
    assert len(office.case(post).trail) == 1


def test_whoever_closes_a_case_is_not_told_that_it_was_closed_before(office: Office) -> None:
    post = office.opened()
    form = office.form(post, Step.CLOSE, {"outcome": chosen("fine")})
    limit = Fault(error="ratelimited", status=429, retry_after=1)
    office.scene.api.faults.add("chat.update", limit)
    with pytest.raises(RateLimitedError):
        office.handle(form)
    office.scene.clock_offset += 60
    office.handle(form)
    assert "*Closed: no problem found*" in shown(post)
    assert office.told() == []


def test_a_click_that_comes_again_late_does_not_take_a_case_that_was_handed_back(
    office: Office,
) -> None:
    post = office.opened()
    click = office.press(post, Step.TAKE)
    assert isinstance(click, CaseClick)
    office.handle(click)
    office.click(post, Step.HAND_BACK, OTHER_MOD)
    # When the claim has been forgotten.
    office.scene.clock_offset += 4000
    office.handle(dataclasses.replace(click, event_ts=f"{office.scene.clock():.6f}"))
    assert office.case(post).state is State.OPEN


def test_whoever_comes_too_late_for_a_form_is_asked_to_press_again(office: Office) -> None:
    post = office.opened()
    click = office.press(post, Step.CLOSE)
    office.scene.interactivity.modals.expire_triggers()
    office.handle(click)
    assert office.told() == [ENGLISH["channel"]["press_again"]]


def test_the_messages_of_an_author_are_counted_without_text(office: Office) -> None:
    first, second = office.opened(), office.opened()
    assert "led to cases" not in shown(first)
    assert "Messages by this person that led to cases in the last 90 days: 2" in shown(second)
    office.click(second, Step.TAKE)
    assert "Messages by this person that led to cases in the last 90 days: 2" in shown(second)
    third = office.opened(office.scene.workspace.post(DIRECT, "U0WROTE", INSULT))
    assert "led to cases in the last 90 days: 3" in shown(third)


def test_a_report_of_a_direct_message_is_a_case_without_its_channel(office: Office) -> None:
    message = office.scene.workspace.post(DIRECT, "U0WROTE", INSULT)
    post = office.opened(message, "anonymous")
    case = office.case(post)
    assert (case.channel, case.ts, case.link, case.reporter) == ("", "", "", "")
    assert DIRECT not in case.to_json()
    assert buttons(post) == ["take", "close", "write", "ask_edit"]


def test_who_reports_anonymously_is_not_in_the_case(office: Office) -> None:
    post = office.opened(name="anonymous")
    office.close(post)
    assert "U0ASKS" not in office.case(post).to_json()


def test_a_report_that_is_half_done_when_it_fails_is_finished_and_not_doubled(
    office: Office,
) -> None:
    office.handle(office.choose(office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)))
    report = office.submit(entered())
    failing = FailingStore(office.store)
    office.scene.cases = failing
    failing.fails = {"change"}
    with pytest.raises(StoreUnavailableError):
        office.handle(report)
    office.scene.cases = office.store
    office.handle(report)
    [post] = office.cases()
    office.click(post, Step.TAKE)
    assert f"*Taken by <@{MOD}>*" in shown(post)


class FailingStore:
    """A store of which some methods fail."""

    def __init__(self, store: CaseStore) -> None:
        self.store = store
        self.fails: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name in self.fails:
            raise StoreUnavailableError
        return getattr(self.store, name)


class Overtaken(FailingStore):
    """A store of which somebody else makes use between a read and the change after it."""

    def __init__(self, store: CaseStore, overtake: Callable[[], None]) -> None:
        super().__init__(store)
        self.overtake = overtake
        self.reads = 0

    def read(self, case: str) -> Case | None:
        found = self.store.read(case)
        self.reads += 1
        if self.reads == 2:
            self.overtake()
        return found


def test_a_note_becomes_a_case_where_that_is_set(scene: Scene, cases: CaseStore) -> None:
    office = Office(scene, cases, NOTE_CASES="on")
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.ask(office.bot(), message)
    [post] = office.cases()
    assert "reads as toxic" in shown(post)
    assert [one["action_id"] for one in post.blocks[2]["elements"]] == ["wrong"]
    office.click(post, Step.TAKE)
    assert f"*Taken by <@{MOD}>*" in shown(post)
    case = office.case(post)
    assert (case.reason, case.author, case.reporter) == ("note", "U0WROTE", "")


def test_without_that_setting_a_note_stays_a_note(scene: Scene, cases: CaseStore) -> None:
    office = Office(scene, cases)
    scene.ask(office.bot(), scene.workspace.post(CHANNEL, "U0WROTE", INSULT))
    [post] = office.cases()
    assert "case_state" not in json.dumps(post.blocks)
    assert cases.unclosed() == []


def test_the_note_of_a_case_whose_response_was_lost_is_found_and_not_posted_again(
    scene: Scene, cases: CaseStore
) -> None:
    office = Office(scene, cases, NOTE_CASES="on")
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.api.faults.add("chat.postMessage", Fault())
    scene.api.faults.add("chat.postMessage", Fault(cut=True))
    with pytest.raises(TryAgainError):
        scene.ask(office.bot(), message, event="Ev1")
    scene.clock_offset += 60
    scene.ask(office.bot(), message, event="Ev1")
    [post] = office.cases()
    assert office.case(post).post == post.ts


def test_the_home_tab_lists_the_cases_to_moderators_alone_and_without_text(
    office: Office,
) -> None:
    post = office.opened()
    closed = office.opened()
    office.click(post, Step.TAKE)
    office.close(closed)
    home = office.home(MOD)
    assert "*Cases not yet closed: 1*" in home
    assert f"/archives/{MODERATORS}/p{post.ts.replace('.', '')}|An insult or bullying>" in home
    assert f"Taken by <@{MOD}>" in home
    assert "pathetic" not in home
    assert "not the first time" not in home
    assert "Cases not yet closed" not in office.home(STRANGER)


def test_the_home_tab_is_there_where_the_bot_is_not_among_the_moderators(office: Office) -> None:
    office.scene.workspace.channels[MODERATORS].private = True
    office.scene.workspace.channels[MODERATORS].members.discard(office.scene.workspace.bot.id)
    assert "Cases not yet closed" not in office.home(MOD)


def test_without_moderators_nobody_has_cases(scene: Scene, cases: CaseStore) -> None:
    office = Office(scene, cases, MODERATORS="", MODERATOR_NOTES="")
    assert "Cases not yet closed" not in office.home(MOD)


# What is done from a case.


def test_the_author_gets_what_a_moderator_writes_and_not_their_name(office: Office) -> None:
    post = office.opened()
    office.do(post, Step.WRITE)
    [letter] = office.letters()
    assert LETTER in shown(letter)
    assert MOD not in shown(letter)
    assert office.case(post).link in shown(letter)
    assert office.told() == [WORDS["told"]["write"]]
    assert f"<@{MOD}> wrote to the author" in shown(post)
    case = office.case(post)
    # Who acts takes the case.
    assert (case.state, case.taken_by) == (State.TAKEN, MOD)
    assert [one.step for one in case.trail] == [Step.TAKE, Step.WRITE]
    assert LETTER not in case.to_json()


def test_the_form_of_a_letter_is_filled_in_and_can_be_changed(office: Office) -> None:
    post = office.opened()
    for step, name in ((Step.WRITE, "letter"), (Step.ASK_EDIT, "edit_letter")):
        office.click(post, step)
        view = office.scene.interactivity.modals.of(MOD)
        assert view is not None
        assert view["blocks"][1]["element"]["initial_value"] == WORDS[name]  # type: ignore[literal-required] # both are
        assert "<@U0WROTE>" in view["blocks"][0]["text"]["text"]


def test_nothing_in_a_letter_formats_links_or_mentions(office: Office) -> None:
    post = office.opened()
    text = "*look* <!channel> <https://example.org|here>"
    office.do(post, Step.WRITE, {"letter": {"value": {"value": text}}})
    [letter] = office.letters()
    [block] = [one for one in letter.blocks if "look" in json.dumps(one)]
    assert block["text"] == {"type": "plain_text", "text": text, "emoji": False}
    # What a notification shows.
    assert letter.text == text.replace("<", "&lt;").replace(">", "&gt;")


def test_a_letter_without_words_is_not_sent(office: Office) -> None:
    post = office.opened()
    office.click(post, Step.WRITE)
    submitted = office.scene.interactivity.submit_view(MOD, {"letter": {"value": {"value": "  "}}})
    assert submitted.result() == {"letter": WORDS["empty_letter"]}
    assert office.letters() == []


def test_a_form_that_is_submitted_twice_sends_one_letter(office: Office) -> None:
    post = office.opened()
    office.click(post, Step.WRITE)
    view = office.scene.interactivity.modals.of(MOD)
    assert view is not None
    first = office.fill_in({"letter": {"value": {"value": LETTER}}})
    office.scene.interactivity.modals._open[MOD] = view
    second = office.fill_in({"letter": {"value": {"value": LETTER}}})
    office.handle(first)
    office.handle(second)
    assert len(office.letters()) == 1


def test_two_moderators_do_not_both_write(office: Office) -> None:
    post = office.opened()
    first = office.form(post, Step.WRITE)
    second = office.form(post, Step.WRITE, user=OTHER_MOD)
    office.handle(first)
    office.handle(second)
    assert len(office.letters()) == 1
    assert office.told(OTHER_MOD) == [f"<@{MOD}> has already taken this case."]


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(error="internal_error")])
def test_a_letter_of_which_slack_does_not_say_whether_it_arrived_is_not_sent_again(
    office: Office, fault: Fault
) -> None:
    post = office.opened()
    form = office.form(post, Step.WRITE)
    office.scene.api.faults.add("chat.postMessage", fault)
    with pytest.raises(OutcomeUnknownError):
        office.handle(form)
    office.scene.clock_offset += 60
    office.handle(form)
    assert len(office.letters()) == (1 if fault.cut else 0)
    assert office.told() == [WORDS["told_unknown"]]
    assert "Slack did not confirm it" in shown(post)
    assert office.case(post).trail[-1].detail == "unknown"


def test_a_letter_that_has_to_wait_is_sent_later_and_once(office: Office) -> None:
    post = office.opened()
    form = office.form(post, Step.WRITE)
    limit = Fault(error="ratelimited", status=429, retry_after=1)
    office.scene.api.faults.add("chat.postMessage", limit)
    with pytest.raises(RateLimitedError):
        office.handle(form)
    assert [one.step for one in office.case(post).trail] == [Step.TAKE]
    for _ in range(2):
        office.scene.clock_offset += 60
        office.handle(form)
    assert len(office.letters()) == 1
    assert office.case(post).trail[-1].detail == "done"


def test_whoever_is_told_nothing_because_slack_fails_is_told_later(office: Office) -> None:
    post = office.opened()
    form = office.form(post, Step.WRITE)
    limit = Fault(error="ratelimited", status=429, retry_after=1)
    office.scene.api.faults.add("chat.postEphemeral", limit)
    with pytest.raises(RateLimitedError):
        office.handle(form)
    office.scene.clock_offset += 60
    office.handle(form)
    assert len(office.letters()) == 1
    assert office.told() == [WORDS["told"]["write"]]


def test_where_the_messages_tab_is_off_the_moderator_is_told_what_to_do(office: Office) -> None:
    office.scene.api.messages_tab = False
    post = office.opened()
    office.do(post, Step.ASK_EDIT)
    assert office.told() == [WORDS["told_no_messages_tab"]]
    assert "refused by Slack: messages_tab_disabled" in shown(post)


def test_a_flag_is_a_note_in_the_thread_and_posted_once(office: Office) -> None:
    office.environment["CODE_OF_CONDUCT"] = "https://example.org/conduct"
    message = office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    post = office.opened(message)
    form = office.form(post, Step.FLAG)
    office.scene.api.faults.add("chat.postMessage", Fault(cut=True))
    with pytest.raises(OutcomeUnknownError):
        office.handle(form)
    office.scene.clock_offset += 60
    office.handle(form)
    [_, flag] = office.scene.workspace.thread(CHANNEL, message.ts)
    assert "The moderators have flagged this message." in flag.text
    assert "https://example.org/conduct" in flag.text
    assert office.told() == [WORDS["told"]["flag"]]
    assert office.case(post).trail[-1].detail == "done"


def test_slack_lets_the_app_remove_no_message_of_a_person_and_the_moderator_is_told_so(
    office: Office,
) -> None:
    message = office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    post = office.opened(message)
    office.do(post, Step.REMOVE)
    assert office.scene.workspace.find(CHANNEL, message.ts) is not None
    assert office.told() == [WORDS["told_cannot_remove"]]
    assert "refused by Slack: cant_delete_message" in shown(post)
    assert office.case(post).trail[-1].detail == "cant_delete_message"


def test_what_the_app_has_posted_itself_is_removed(office: Office) -> None:
    bot = office.scene.workspace.bot.id
    message = office.scene.workspace.post(CHANNEL, bot, INSULT)
    post = office.opened(message)
    office.do(post, Step.REMOVE)
    assert office.scene.workspace.find(CHANNEL, message.ts) is None
    assert office.told() == [WORDS["told"]["remove"]]


@pytest.mark.parametrize("step", [Step.FLAG, Step.REMOVE])
def test_a_message_where_the_bot_is_not_is_out_of_reach(office: Office, step: Step) -> None:
    message = office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    post = office.opened(message)
    office.scene.workspace.channels[CHANNEL].members.discard(office.scene.workspace.bot.id)
    office.do(post, step)
    assert office.told() == [WORDS["told_out_of_reach"]]


def test_a_message_that_is_gone_is_not_flagged(office: Office) -> None:
    message = office.scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    post = office.opened(message)
    office.scene.workspace.delete(CHANNEL, message.ts)
    office.do(post, Step.FLAG)
    assert office.told() == [WORDS["told_gone"]]


def test_every_action_asks_first(office: Office) -> None:
    post = office.opened()
    for step in (Step.CLOSE, Step.WRITE, Step.ASK_EDIT, Step.FLAG, Step.REMOVE):
        office.click(post, step)
        view = office.scene.interactivity.modals.of(MOD)
        assert view is not None
        assert view["title"]["text"] == WORDS["buttons"][step.value]  # type: ignore[literal-required] # each has one
        office.scene.interactivity.modals.close(MOD)
    assert office.case(post).trail == ()
    assert office.letters() == []


def test_a_case_that_is_no_longer_kept_is_not_changed(office: Office) -> None:
    post = office.opened()
    click = office.press(post, Step.TAKE)
    assert isinstance(click, CaseClick)
    office.handle(dataclasses.replace(click, case="0123456789abcdef"))
    assert office.told() == [WORDS["not_kept"]]


def test_a_post_that_moderators_have_deleted_is_not_missed(office: Office) -> None:
    post = office.opened()
    click = office.press(post, Step.TAKE)
    office.scene.workspace.delete(MODERATORS, post.ts)
    office.handle(click)
    [case] = office.store.unclosed()
    assert case.taken_by == MOD


def everything_stored(scene: Scene, folder: Path) -> str:
    if scene.database is None:
        return json.dumps(dynamodb().scan(TableName="claims")["Items"], default=str)
    with contextlib.closing(sqlite3.connect(folder / "bot.sqlite")) as connection:
        return "".join(connection.iterdump())


def test_no_text_is_stored_or_logged(
    office: Office, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    post = office.opened()
    for step in (Step.WRITE, Step.ASK_EDIT, Step.FLAG, Step.REMOVE):
        office.do(post, step)
    office.close(post)
    written = capsys.readouterr().out + office.case(post).to_json()
    stored = everything_stored(office.scene, tmp_path)
    assert MOD in stored
    for text in ("pathetic", "apologize", "not the first time"):
        assert text not in written
        assert text not in stored


def test_what_moderators_do_survives_the_queue(office: Office) -> None:
    post = office.opened()
    click, form = office.press(post, Step.WRITE), office.form(post, Step.WRITE)
    closing = office.form(post, Step.CLOSE, {"outcome": chosen("fine")})
    for gesture in (click, form, closing):
        assert read_gesture(json.loads(gesture.to_json())) == gesture
    for name in ("step", "outcome", "case"):
        with pytest.raises(MalformedEventError):
            read_gesture(json.loads(closing.to_json()) | {name: "odd"})


PLACE = json.loads(CasePlace("0123456789abcdef", Step.WRITE, Language.GERMAN).to_metadata())


def submission(metadata: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "view_submission",
        "api_app_id": "A0001",
        "team": {"id": "T0001", "domain": "example"},
        "user": {"id": MOD, "team_id": "T0001"},
        "trigger_id": "13345224609.738474920.8088930838d88f008e0",
        "view": {
            "id": "V0001",
            "callback_id": CALLBACK,
            "private_metadata": json.dumps(metadata),
            "state": {"values": values},
        },
    }


def test_the_form_itself_is_what_is_done_once() -> None:
    values = {"letter": {"value": {"value": LETTER}}}
    form = parse_payload(submission(PLACE, values))
    assert isinstance(form, CaseForm)
    assert (form.event_id, form.letter, form.outcome) == ("V0001", LETTER, None)


@pytest.mark.slow
@given(st.sampled_from(sorted(PLACE)), JSON, st.sampled_from(["write", "close"]), JSON)
def test_any_form_of_a_case_is_either_one_or_malformed(
    name: str, value: object, step: str, state: object
) -> None:
    for metadata, values in (
        (PLACE | {name: value}, {"letter": {"value": {"value": LETTER}}}),
        (PLACE | {"step": step}, state),
        (PLACE | {"step": step}, {"letter": state, "outcome": state}),
        (PLACE | {"step": step}, {"letter": {"value": state}, "outcome": {"value": state}}),
    ):
        with contextlib.suppress(MalformedEventError):
            parse_payload(submission(metadata, values))  # type: ignore[arg-type] # whatever comes


def test_a_button_of_no_step_is_dropped() -> None:
    payload = {
        "type": "block_actions",
        "api_app_id": "A0001",
        "team": {"id": "T0001"},
        "user": {"id": MOD},
        "actions": [{"action_id": "case_odd", "value": "0123456789abcdef"}],
    }
    assert parse_payload(payload) == Dropped("other_action")
