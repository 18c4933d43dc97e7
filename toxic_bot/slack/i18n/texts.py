"""What every language has a text for.

The texts are typed dictionaries, because mypy finds a text that a language lacks, and because
frozen dataclasses of this size would cost milliseconds of every cold start. What stands in braces
is filled in by `str.format`; ``tests/slack/i18n`` holds each language to the same names.
"""

from __future__ import annotations

from typing import TypedDict


class KindTexts(TypedDict):
    """The kinds of toxicity, by the names that the model has for them."""

    insult: str
    threat: str
    identity: str
    sexual: str
    obscene: str
    putdown: str


class NothingTexts(TypedDict):
    """Why there is nothing to judge, by `toxic_bot.slack.answers.assessment.Outcome`."""

    only_files: str
    empty: str
    not_legible: str
    deleted: str
    own_answer: str


class ModeTexts(TypedDict):
    """Something for each `toxic_bot.slack.settings.AnswerMode`."""

    thread: str
    ephemeral: str
    nudge: str


class WatchTexts(TypedDict):
    """What follows in a watched channel, by `toxic_bot.slack.channel_settings.WatchAction`."""

    nudge: str
    note: str
    thread: str


class WatchChoiceTexts(WatchTexts):
    """The same as choices, with that of not watching."""

    off: str


class PointTexts(TypedDict):
    """Something for each `toxic_bot.judge.config.OperatingPoint`."""

    balanced: str
    cautious: str
    sensitive: str


class BudgetTexts(TypedDict):
    """Whose budget is spent, by `toxic_bot.slack.answers.budgets.Scope`."""

    user: str
    channel: str
    settings: str
    home: str
    click: str
    message: str


class ActionTexts(TypedDict):
    """Labels of the buttons, by `toxic_bot.slack.gestures.Action`."""

    why: str
    right: str
    wrong: str
    seen: str


class NoticeTexts(TypedDict):
    """Why a command is not answered, by `toxic_bot.slack.requests.events.Dropped`'s reasons."""

    switched_off: str
    other_workspace: str
    other_channel: str
    usage: str
    too_long: str


class ErrorTexts(TypedDict):
    """What is shown beside the fields of the settings form."""

    emoji_names: str
    too_many_emoji: str
    number_not_chosen: str
    not_a_percentage: str
    too_many_people: str
    no_urgent_channel: str
    not_hours: str
    not_a_zone: str
    too_many_words: str
    word_too_long: str
    word_too_general: str
    on_both_lists: str


class NumberTexts(TypedDict):
    """How numbers are written."""

    percent: str
    under: str
    over: str
    decimal_point: str
    thousands: str


class VerdictTexts(TypedDict):
    """The verdict on a message."""

    toxic: str
    toxic_of: str
    two_kinds: str
    kinds: KindTexts
    message_toxic: str
    message_borderline: str
    message_fine: str
    text_toxic: str
    text_borderline: str
    text_fine: str
    borderline_above: str
    borderline_below: str
    clearly_above: str
    well_below: str
    score: str
    score_in_sentence: str
    disclaimer: str
    listed: str
    asked_by: str
    about_reply: str
    as_edited: str
    wrote_it: str
    wrote_it_followed: str
    affected: str
    edit_or_delete: str
    nothing: NothingTexts
    nothing_to_judge: str
    outdated: str
    outdated_because: str
    only_you: str
    nudge: str
    nudge_of: str
    nudge_summary: str
    nudge_summary_without_hint: str
    quote: str
    buttons: ActionTexts
    not_hurtful: str


class ReasonTexts(TypedDict):
    """Why, and other private answers."""

    why: str
    why_summary: str
    why_note: str
    edited_since: str
    drove: str
    on_always: str
    on_never: str
    no_word: str
    part: str
    part_of_kinds: str
    nothing_stands_out: str
    word: str
    slightly: str
    clearly: str
    strongly: str
    part_as_read: str
    text_as_read: str
    nothing_read: str
    unreadable_language: str
    no_words: str
    text_summary: str
    change_it: str
    not_posted: str
    nothing_stored: str
    not_readable: str
    thanks_right: str
    thanks_wrong: str
    spent: BudgetTexts


class ChannelTexts(TypedDict):
    """The settings of a channel."""

    who_sees: ModeTexts
    exempt: str
    delay: str
    thresholds: PointTexts
    threshold_from: str
    not_listening: str
    emoji: str
    alternative: str
    flagged: str
    lists: str
    urgent: str
    invite_urgent: str
    in_channel: str
    not_judged: str
    press_again: str
    summary: str
    open: str
    saved: str
    only_admins: str
    only_admins_and_creator: str
    watched: WatchTexts
    quiet: str
    watch_on: str
    watch_off: str


class FormTexts(TypedDict):
    """The form in which they are changed."""

    title: str
    save: str
    cancel: str
    only_here: str
    listens: str
    yes: str
    no: str
    reactions: str
    reactions_hint: str
    answer: str
    answer_hint: str
    modes: ModeTexts
    default_modes: ModeTexts
    threshold: str
    points: PointTexts
    default_points: PointTexts
    number: str
    percent: str
    percent_hint: str
    people: str
    watch: str
    watch_hint: str
    watch_choices: WatchChoiceTexts
    watch_percent: str
    watch_percent_hint: str
    quiet: str
    quiet_hint: str
    zone: str
    zone_hint: str
    urgent: str
    urgent_hint: str
    urgent_people: str
    always: str
    always_hint: str
    never: str
    never_hint: str
    sample: str
    sample_hint: str
    tried_always: str
    tried_never: str
    tried_rest: str
    tried_nothing: str
    not_saved_yet: str
    errors: ErrorTexts


class HomeTexts(TypedDict):
    """The Home tab, and the greeting in a channel."""

    title: str
    purpose: str
    where: str
    today: str
    method: str
    method_text: str
    more_about: str
    try_label: str
    try_button: str
    places_unknown: str
    no_places: str
    place: str
    more_places: str
    nobody_asked: str
    counts: str
    stored: str
    ask_reaction: str
    ask_shortcut: str
    ask_command: str
    hello: str


class CaseOutcomeTexts(TypedDict):
    """How a case ends, by `toxic_bot.slack.gestures.CaseOutcome`."""

    fine: str
    talked_to: str
    removed: str
    escalated: str


class CaseActionTexts(TypedDict):
    """Something for each action, by `toxic_bot.slack.gestures.Step`."""

    write: str
    ask_edit: str
    flag: str
    remove: str


class CaseAskTexts(CaseActionTexts):
    """What a form asks, by the same."""

    close: str


class StepTexts(CaseAskTexts):
    """Something for each step."""

    take: str
    hand_back: str
    reopen: str


class CaseTexts(TypedDict):
    """A case in the moderators' channel, what is done from there, and the list of cases."""

    open: str
    taken: str
    closed: str
    outcomes: CaseOutcomeTexts
    repeated: str
    buttons: StepTexts
    trail: StepTexts
    without_response: str
    refused: str
    asks: CaseAskTexts
    outcome: str
    letter_label: str
    letter: str
    edit_letter: str
    empty_letter: str
    from_moderators: str
    from_moderators_about: str
    flagged: str
    told: CaseActionTexts
    told_unknown: str
    told_refused: str
    told_cannot_remove: str
    told_no_messages_tab: str
    told_out_of_reach: str
    told_gone: str
    taken_before: str
    closed_before: str
    not_possible: str
    not_allowed: str
    not_kept: str
    home_title: str
    home_more: str


class ModeratorTexts(TypedDict):
    """The notes to the moderators, and their digest."""

    note: str
    open_message: str
    gone: str
    seen_by: str
    title: str
    summary: str
    nobody: str
    total_one: str
    total: str
    week: str
    as_many_as_before: str
    as_many: str
    than_before: str
    more: str
    fewer: str
    by_day: str
    by_channel: str
    by_kind: str
    disputed: str
    channel: str
    more_channels: str
    kind: str
    kinds: KindTexts
    dispute: str
    dispute_toxic: str
    dispute_fine: str
    footnote: str
    period: str
    day: str
    first_of_month: str
    months: tuple[str, ...]


class CareTexts(TypedDict):
    """What is said where somebody may be in danger."""

    summary: str
    help: str
    told: str
    asker: str
    in_need: str
    also_reads: str
    please_look: str


class ReportReasonTexts(TypedDict):
    """Why a message is reported, by `toxic_bot.slack.requests.report_form.Reason`."""

    threat: str
    sexual: str
    self_harm: str
    identity: str
    insult: str
    other: str


class ReportTexts(TypedDict):
    """The form of a report, and the report in the moderators' channel."""

    title: str
    send: str
    cancel: str
    close: str
    intro: str
    reason: str
    reasons: ReportReasonTexts
    word: str
    word_hint: str
    name: str
    stay_anonymous: str
    be_named: str
    thanks: str
    nobody: str
    too_late: str
    headline: str
    in_channel: str
    in_direct_message: str
    author: str
    named: str
    anonymous: str
    case_in: str
    reads_as_toxic: str
    reads_as_fine: str
    not_judged: str


class Texts(TypedDict):
    """Everything that the bot says."""

    numbers: NumberTexts
    verdict: VerdictTexts
    reasons: ReasonTexts
    channel: ChannelTexts
    form: FormTexts
    home: HomeTexts
    moderators: ModeratorTexts
    case: CaseTexts
    report: ReportTexts
    care: CareTexts
    notices: NoticeTexts
