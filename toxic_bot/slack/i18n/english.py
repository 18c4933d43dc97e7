"""What the bot says in English."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

ENGLISH: Texts = {
    "numbers": {
        "percent": "{number}%",
        "under": "under {percent}",
        "over": "over {percent}",
        "decimal_point": ".",
        "thousands": ",",
    },
    "verdict": {
        "toxic": "toxic",
        "toxic_of": "toxic: {kinds}",
        "two_kinds": "{first} and {second}",
        "kinds": {
            "insult": "an insult",
            "threat": "a threat",
            "identity": "an attack on people for who they are",
            "sexual": "sexual harassment",
            "obscene": "obscene words",
            "putdown": "a put-down",
        },
        "message_toxic": "This message reads as {toxic}",
        "message_borderline": "This message is borderline",
        "message_fine": "This message does not read as toxic",
        "text_toxic": "This reads as {toxic}",
        "text_borderline": "This is borderline",
        "text_fine": "This does not read as toxic",
        "borderline_above": "Borderline, but above the threshold",
        "borderline_below": "Still below the threshold",
        "clearly_above": "Clearly above the threshold",
        "well_below": "Well below the threshold",
        "score": "Toxicity score {score} (flagged from {threshold})",
        "score_in_sentence": "toxicity score {score} (flagged from {threshold})",
        "disclaimer": "Judged by a language model, which can be wrong",
        "listed": "Contains words that are always flagged in this channel",
        "asked_by": "Asked by <@{user}>",
        "about_reply": "About the reply from {time}",
        "as_edited": "As edited at {time}",
        "wrote_it": "Did you write it? You can edit it; a new reaction asks me again.",
        "wrote_it_followed": "Did you write it? You can edit it, and I will read it again.",
        "affected": "Affected by it? <{url}|Here's where to turn>.",
        "edit_or_delete": "You can still edit or delete it.",
        "nothing": {
            "only_files": "the message contains only files, and I can only read text.",
            "empty": "the message contains no words.",
            "not_legible": (
                "I can only read English, German, French, Spanish, Portuguese and Italian so far."
            ),
            "deleted": "the message has been deleted.",
            "own_answer": "this is one of my own answers.",
        },
        "nothing_to_judge": "There is nothing to judge here: {why}",
        "outdated": "This is about an earlier version",
        "outdated_because": "The message was edited at {time}, after this answer.",
        "only_you": "Only you can see this",
        "nudge": "Your message from {time} may come across as hurtful.",
        "nudge_of": "Your message from {time} may come across as {kinds}.",
        "nudge_summary": "One of your messages may come across as hurtful. You can edit it.",
        "nudge_summary_without_hint": "One of your messages may come across as hurtful.",
        "quote": "“{words}”",
        "buttons": {"why": "Why?", "right": "Right", "wrong": "Wrong", "seen": "Seen"},
        "not_hurtful": "Not hurtful? Tell us",
    },
    "reasons": {
        "why": "*Why?* What drove the score, strongest first:",
        "why_summary": "What drove the score of this message.",
        "why_note": (
            "Only you can see this · It shows what moved a language model, not who is right"
        ),
        "edited_since": (
            "The message has since been edited; this is about its current text.\n{intro}"
        ),
        "drove": "What drove the score, strongest first:",
        "on_always": "Always flagged in this channel: {words}",
        "on_never": "Ignored in this channel: {words}",
        "no_word": "No single word stands out; it is the text as a whole.",
        "part": "No single word stands out, but this part does: {quote}",
        "part_of_kinds": (
            "No single word stands out, but this part does, which I take for {kinds}: {quote}"
        ),
        "nothing_stands_out": "Nothing in it stands out.",
        "word": "{quote} – {strength}",
        "slightly": "slightly",
        "clearly": "clearly",
        "strongly": "strongly",
        "part_as_read": "The part that decided, as I read it:",
        "text_as_read": "The text as I read it:",
        "nothing_read": "(nothing)",
        "unreadable_language": (
            "I can only read English, German, French, Spanish, Portuguese and Italian so far."
        ),
        "no_words": "There are no words to judge.",
        "text_summary": "The verdict on your text.",
        "change_it": "Change it and try again with `{command}`.",
        "not_posted": "It has not been posted.",
        "nothing_stored": "Only you can see this, and nothing is stored",
        "not_readable": (
            "I cannot read this message, because I am not in this channel. Invite me, or type "
            "`{command}` and the text."
        ),
        "thanks_right": "Thanks. You called this verdict right. I keep your vote, but no text.",
        "thanks_wrong": "Thanks. You called this verdict wrong. I keep your vote, but no text.",
        "spent": {
            "user": (
                "You have reached the hourly limit for requests ({limit}). Ask me again from "
                "{time}; until then, I will not answer."
            ),
            "channel": (
                "This channel has reached the hourly limit for requests ({limit}). Ask me again "
                "from {time}; until then, I will not answer."
            ),
            "settings": (
                "You have reached the hourly limit for the settings ({limit}). You can use them "
                "again from {time}."
            ),
            "home": (
                "You have reached the hourly limit for this tab ({limit}). I will update it again "
                "from {time}."
            ),
            "click": (
                "You have reached the hourly limit for clicks ({limit}). My buttons work again "
                "from {time}."
            ),
            "message": (
                "You have reached the hourly limit for this message ({limit}). Ask me about it "
                "again from {time}."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "everybody in the channel sees the answer, in the message's thread",
            "ephemeral": "only the person who asks sees the answer",
            "nudge": "only the author sees a note, and only if the message reads as toxic",
        },
        "exempt": "I do not judge this person's messages in this channel.",
        "delay": "Changes take effect within a minute. Earlier verdicts stay as they are.",
        "thresholds": {
            "balanced": "at the balanced threshold",
            "cautious": "at the cautious threshold",
            "sensitive": "at the sensitive threshold",
        },
        "threshold_from": "from {percent}",
        "not_listening": "I do not listen",
        "emoji": "the emoji is {emoji}",
        "alternative": " or ",
        "flagged": "messages are flagged {threshold}",
        "lists": "some words are always flagged or ignored here",
        "urgent": "urgent messages are passed on to <#{channel}>",
        "invite_urgent": (
            "I am not in <#{channel}>: invite me there, or nobody will be told of urgent messages."
        ),
        "in_channel": "*In <#{channel}>*, {how}.",
        "not_judged": "I do not judge messages from {people}.",
        "press_again": ("That took too long for Slack. I am awake now: please press it again."),
        "summary": "This channel's settings.",
        "open": "Open settings",
        "saved": "Saved. In <#{channel}>, {how}. {delay}",
        "only_admins": "Only admins and owners of this workspace can change the settings here.",
        "only_admins_and_creator": (
            "Only admins and owners of this workspace and <@{creator}>, who created this channel, "
            "can change the settings here."
        ),
        "watched": {
            "nudge": "I read every message, and tell its author privately if it reads as toxic",
            "note": "I read every message, and tell the moderators if it reads as toxic",
            "thread": "I read every message, and answer it in its thread if it reads as toxic",
        },
        "quiet": "(not from {start} to {end} {zone})",
        "watch_on": (
            "<@{user}> has switched on watching in this channel. From now on, {how}. I keep no "
            "texts. Whoever may change the settings can switch it off with `/toxic settings`."
        ),
        "watch_off": (
            "<@{user}> has switched off watching in this channel. I read a message here only when "
            "somebody asks."
        ),
    },
    "form": {
        "title": "Toxic Bot settings",
        "save": "Save",
        "cancel": "Cancel",
        "only_here": "For <#{channel}> only. {delay}",
        "listens": "Do I listen in this channel?",
        "yes": "Yes",
        "no": "No: no answer at all",
        "reactions": "Emoji that ask for a verdict",
        "reactions_hint": "Short names, such as skull, eyes. If empty: {emoji}.",
        "answer": "Who sees the verdict?",
        "answer_hint": "By default, {who_sees}.",
        "modes": {
            "thread": "In the thread",
            "ephemeral": "Only the person who asks",
            "nudge": "Only the author, if toxic",
        },
        "default_modes": {
            "thread": "Default (in the thread)",
            "ephemeral": "Default (only the person who asks)",
            "nudge": "Default (only the author, if toxic)",
        },
        "threshold": "What score makes a message toxic?",
        "points": {
            "balanced": "Balanced: few false alarms",
            "cautious": "Cautious: fewest false alarms",
            "sensitive": "Sensitive: finds more",
        },
        "default_points": {
            "balanced": "Default (balanced)",
            "cautious": "Default (cautious)",
            "sensitive": "Default (sensitive)",
        },
        "number": "A number",
        "percent": "The number, in percent",
        "percent_hint": "The lower the number, the more messages are flagged.",
        "people": "People whose messages I do not judge",
        "watch": "Do I read every message here?",
        "watch_hint": "The channel is told when this is switched on or off. I keep no texts.",
        "watch_choices": {
            "off": "No, only when somebody asks",
            "nudge": "Yes, and tell the author privately",
            "note": "Yes, and tell the moderators",
            "thread": "Yes, and answer in the thread",
        },
        "watch_percent": "If I read every message: from what score, in percent?",
        "watch_percent_hint": "If empty, the threshold above.",
        "quiet": "If I read every message: quiet hours",
        "quiet_hint": (
            "Start and end hour, such as 18-8. In between, I read only what somebody asks about."
        ),
        "zone": "Time zone of the quiet hours",
        "zone_hint": "Such as Europe/Berlin or America/New_York, or just a city. If empty, UTC.",
        "urgent": "Urgent messages: which channel is told at once?",
        "urgent_hint": (
            "Threats, sexual harassment and signs of self-harm. If empty, as for the whole "
            "workspace."
        ),
        "urgent_people": "Urgent messages: who is mentioned there?",
        "always": "Words and phrases I always flag",
        "always_hint": (
            "One per line. A message that contains one of them is toxic. Whole words only; * "
            "stands for any letters: spam*."
        ),
        "never": "Words and phrases I ignore",
        "never_hint": (
            "I leave them out and judge the rest of the message. This list takes precedence."
        ),
        "sample": "Try the lists on a text",
        "sample_hint": (
            "With a text in here, Save only shows what the lists would do to it. Leave this empty "
            "to save."
        ),
        "tried_always": "Always flagged: {words}. So the text is toxic, whatever else it says.",
        "tried_never": "Ignored: {words}.",
        "tried_rest": "I would judge the rest: {rest}",
        "tried_nothing": "The text contains none of these words. I would judge it as it is.",
        "not_saved_yet": "Nothing has been saved yet. To save, press Save again.",
        "errors": {
            "emoji_names": "Use emoji names, such as biohazard_sign, skull.",
            "too_many_emoji": "Use at most {most} emoji.",
            "number_not_chosen": "Choose “A number” above, or leave this empty.",
            "not_a_percentage": "Enter a whole number from {least} to {most}.",
            "too_many_people": "Choose at most {most} people.",
            "no_urgent_channel": "Choose a channel for urgent messages, too.",
            "not_hours": "Enter two hours from 0 to {most}, such as 18-8.",
            "not_a_zone": "Enter a time zone such as Europe/Berlin or America/New_York.",
            "too_many_words": "Use at most {most} words and phrases.",
            "word_too_long": "“{word}” is too long: use at most {most} characters.",
            "word_too_general": "“{word}” would match almost anything: use more letters.",
            "on_both_lists": "“{word}” is on both lists: choose one.",
        },
    },
    "home": {
        "title": "Is this message toxic?",
        "purpose": (
            "When somebody asks, I say whether a message reads as abusive, insulting, threatening, "
            "hateful, obscene or demeaning toward a person or a group."
        ),
        "where": "Where I am",
        "today": "Today in this workspace",
        "method": "How I judge",
        "method_text": (
            "A small language model on your company's own servers reads the text and scores it. It "
            "reads English, German, French, Spanish, Portuguese and Italian, knows nothing about "
            "the people involved, and can be wrong. {stored}"
        ),
        "more_about": "<{url}|More about how I judge>.",
        "try_label": "Try a text",
        "try_button": "Is this toxic?",
        "places_unknown": "Slack does not tell me.",
        "no_places": "Not in any channel yet. Invite me to one.",
        "place": "{channels}: {how}.",
        "more_places": "And {number} more.",
        "nobody_asked": "Nobody has asked yet.",
        "counts": "{judged} judged, {toxic} of them toxic.",
        "stored": (
            "I store no texts: I read a message when somebody asks, or in a channel that I watch, "
            "then forget it."
        ),
        "ask_reaction": "React to a message with {emoji}: {who_sees}.",
        "ask_shortcut": "Choose *Is this toxic?* in a message's menu: only you see the answer.",
        "ask_command": ("Type `{command}` and a text before you post it: only you see the answer."),
        "hello": "Hello! Ask me whether a message reads as toxic.",
    },
    "moderators": {
        "note": "A message in <#{channel}> reads as {toxic}.",
        "open_message": "Open the message",
        "gone": "The message has since been deleted",
        "seen_by": "Seen by <@{user}>",
        "title": "The week in verdicts",
        "summary": "The week in verdicts: {total}.",
        "nobody": "Nobody asked",
        "total_one": "{judged} message judged, {toxic} of them toxic",
        "total": "{judged} messages judged, {toxic} of them toxic",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "as many as the week before",
        "as_many": "as many",
        "than_before": "{change} than the week before",
        "more": "▲ {number} more",
        "fewer": "▼ {number} fewer",
        "by_day": "Toxic, day by day",
        "by_channel": "By channel",
        "by_kind": "By kind",
        "disputed": "Most disputed",
        "channel": "<#{channel}>: {toxic} of {judged} toxic ({change})",
        "more_channels": "and {number} more",
        "kind": "{kind}: {number} ({change})",
        "kinds": {
            "insult": "insults",
            "threat": "threats",
            "identity": "attacks on people for who they are",
            "sexual": "sexual harassment",
            "obscene": "obscene words",
            "putdown": "put-downs",
        },
        "dispute": (
            "<{link}|{verdict}, score {score}> in <#{channel}>: {wrong} called it wrong, {right} "
            "right"
        ),
        "dispute_toxic": "toxic",
        "dispute_fine": "not toxic",
        "footnote": (
            "Verdicts requested by a reaction, by day in UTC. A message can have several kinds. "
            "Votes and counts contain no texts."
        ),
        "period": "{first} to {last}",
        "day": "{day} {month}",
        "first_of_month": "1",
        "months": (
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ),
    },
    "case": {
        "open": "Open",
        "taken": "Taken by <@{user}>",
        "closed": "Closed: {outcome}",
        "outcomes": {
            "fine": "no problem found",
            "talked_to": "talked to the author",
            "removed": "message removed",
            "escalated": "escalated",
        },
        "repeated": "Messages by this person that led to cases in the last {days} days: {number}",
        "buttons": {
            "take": "Take",
            "hand_back": "Hand back",
            "close": "Close",
            "reopen": "Reopen",
            "write": "Write to the author",
            "ask_edit": "Ask for an edit",
            "flag": "Flag in the thread",
            "remove": "Remove",
        },
        "trail": {
            "take": "<@{user}> took the case",
            "hand_back": "<@{user}> handed it back",
            "close": "<@{user}> closed it: {outcome}",
            "reopen": "<@{user}> reopened it",
            "write": "<@{user}> wrote to the author",
            "ask_edit": "<@{user}> asked the author to edit the message",
            "flag": "<@{user}> flagged the message in its thread",
            "remove": "<@{user}> removed the message",
        },
        "without_response": "Slack did not confirm it",
        "refused": "refused by Slack: {error}",
        "asks": {
            "close": "Everybody in this channel sees how the case ends.",
            "write": (
                "This goes to <@{user}> as a private message from me, on behalf of the moderators "
                "and without your name. I keep no copy."
            ),
            "ask_edit": (
                "This goes to <@{user}> as a private message from me, with a link to the message "
                "and without your name. I keep no copy."
            ),
            "flag": (
                "I reply in the message's thread that the moderators have flagged it. Everybody "
                "there can see that. The message stays."
            ),
            "remove": (
                "I try to delete the message for everybody. Slack lets me delete only what I "
                "posted myself; if it refuses, I will tell you."
            ),
        },
        "outcome": "How does it end?",
        "letter_label": "Your message",
        "letter": (
            "Hello! One of your messages was brought to the moderators' attention. Please keep our "
            "conversations respectful."
        ),
        "edit_letter": (
            "Hello! One of your messages may come across as hurtful. Please edit or delete it."
        ),
        "empty_letter": "Write something first.",
        "from_moderators": "From the moderators. Nobody reads replies here.",
        "from_moderators_about": (
            "From the moderators, about <{link}|your message>. Nobody reads replies here."
        ),
        "flagged": "The moderators have flagged this message.",
        "told": {
            "write": "Your message has been sent to the author.",
            "ask_edit": "The author has been asked to edit the message.",
            "flag": "The message is flagged in its thread.",
            "remove": "The message has been removed.",
        },
        "told_unknown": (
            "Slack did not confirm it. I will not try again, so that it does not happen twice: "
            "please check."
        ),
        "told_refused": "Slack refused: {error}.",
        "told_cannot_remove": (
            "Slack lets me delete only my own messages. The author can delete this one, and so can "
            "an admin if your workspace allows it: open it and choose *Delete message*."
        ),
        "told_no_messages_tab": (
            "Slack refused, because my Messages tab is switched off. An admin can switch it on in "
            "the app's settings, under *App Home*."
        ),
        "told_out_of_reach": (
            "I cannot reach the message, because I am not in that channel. Invite me there first."
        ),
        "told_gone": "The message has already been deleted.",
        "taken_before": "<@{user}> has already taken this case.",
        "closed_before": "<@{user}> has already closed this case: {outcome}.",
        "not_possible": "That is not possible for this case.",
        "not_allowed": (
            "Only members of the moderators' channel who belong to this workspace can do this."
        ),
        "not_kept": "This case no longer exists.",
        "home_title": "Cases not yet closed: {number}",
        "home_more": "And {number} more.",
    },
    "report": {
        "title": "Report to moderators",
        "send": "Send",
        "cancel": "Cancel",
        "close": "Close",
        "intro": (
            "The moderators get a link to this message, what you say below, and how a language "
            "model reads it. Its text is not passed on."
        ),
        "reason": "What is it?",
        "reasons": {
            "threat": "A threat",
            "sexual": "Sexual harassment",
            "self_harm": "Self-harm or suicide",
            "identity": "An attack on people for who they are",
            "insult": "An insult or bullying",
            "other": "Something else",
        },
        "word": "What should they know?",
        "word_hint": "In your own words. In a direct message, they cannot see what was written.",
        "name": "Should they know who you are?",
        "stay_anonymous": "No, report it anonymously",
        "be_named": "Yes, so that they can write to me",
        "thanks": "Thank you. Your report is on its way to the moderators.",
        "nobody": "There is nobody to report to: no moderators' channel is set up for me.",
        "too_late": "That took too long for Slack. I am awake now: please choose it again.",
        "headline": "Reported: {reason}",
        "in_channel": "In <#{channel}>",
        "in_direct_message": "In a direct message",
        "author": "written by <@{user}>",
        "named": "Reported by <@{user}>",
        "anonymous": "Reported anonymously",
        "case_in": "The case is in <#{channel}>",
        "reads_as_toxic": "I read it as {toxic}, {score}",
        "reads_as_fine": "I do not read it as toxic, {score}",
        "not_judged": "I could not judge it",
    },
    "care": {
        "summary": "You are not alone.",
        "help": (
            "You are not alone. If you are thinking of harming yourself, please talk to somebody "
            "now. <https://findahelpline.com|findahelpline.com> lists free, confidential help "
            "lines by country. If you are in immediate danger, call your local emergency number."
        ),
        "told": (
            "Only you can see this; the people here who look after such messages know about yours"
        ),
        "asker": (
            "I am not judging this message: its author may be going through a hard time. You could "
            "ask them how they are. <https://findahelpline.com|findahelpline.com> lists help lines "
            "by country. If they are in immediate danger, call the local emergency number."
        ),
        "in_need": (
            "The author of a message in <#{channel}> may need help. I have shown them help lines "
            "in private."
        ),
        "also_reads": "It also reads as {toxic}.",
        "please_look": "{people}: please take a look now.",
    },
    "notices": {
        "switched_off": "This is switched off here.",
        "other_workspace": "I do not answer in this workspace.",
        "other_channel": "I do not answer in this channel.",
        "usage": (
            "Type `{command}` followed by a text you are about to post, such as `{command} you did "
            "a great job`. Only you see the verdict, and nothing is stored. `{command} {settings}` "
            "changes how I answer in this channel."
        ),
        "too_long": "I can judge up to {most} characters at a time.",
    },
}
