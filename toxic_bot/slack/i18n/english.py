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
        "asked_by": "Asked by <@{user}>",
        "about_reply": "About the reply from {time}",
        "as_edited": "As edited at {time}",
        "wrote_it": "Did you write it? You can edit it; a new reaction asks me again.",
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
                "You have reached the hourly limit of {limit} requests. Ask me again from {time}; "
                "until then, I will not answer."
            ),
            "channel": (
                "This channel has reached the hourly limit of {limit} requests. Ask me again from "
                "{time}; until then, I will not answer."
            ),
            "settings": (
                "You have used the settings {limit} times this hour. You can use them again from "
                "{time}."
            ),
            "home": (
                "You have opened this tab {limit} times this hour. I will update it again from "
                "{time}."
            ),
            "click": (
                "You have clicked my buttons {limit} times this hour. I will take your clicks "
                "again from {time}."
            ),
            "message": (
                "You have asked about this message {limit} times this hour. Ask me about it again "
                "from {time}."
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
        "errors": {
            "emoji_names": "Use emoji names, such as biohazard_sign, skull.",
            "too_many_emoji": "Use at most {most} emoji.",
            "number_not_chosen": "Choose “A number” above, or leave this empty.",
            "not_a_percentage": "Enter a whole number from {least} to {most}.",
            "too_many_people": "Choose at most {most} people.",
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
        "stored": "I store no texts: I read a message when somebody asks, then forget it.",
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
        "more_channels": "and {number} more channels",
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
