"""What the bot says in German."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

GERMAN: Texts = {
    "numbers": {
        "percent": "{number}\u00a0%",
        "under": "unter {percent}",
        "over": "über {percent}",
        "decimal_point": ",",
        "thousands": ".",
    },
    "verdict": {
        "toxic": "toxisch",
        "toxic_of": "toxisch: {kinds}",
        "two_kinds": "{first} und {second}",
        "kinds": {
            "insult": "eine Beleidigung",
            "threat": "eine Drohung",
            "identity": "ein Angriff auf Menschen wegen dessen, was sie sind",
            "sexual": "sexuelle Belästigung",
            "obscene": "obszöne Ausdrücke",
            "putdown": "eine Herabsetzung",
        },
        "message_toxic": "Diese Nachricht wirkt {toxic}",
        "message_borderline": "Diese Nachricht ist grenzwertig",
        "message_fine": "Diese Nachricht wirkt nicht toxisch",
        "text_toxic": "Das wirkt {toxic}",
        "text_borderline": "Das ist grenzwertig",
        "text_fine": "Das wirkt nicht toxisch",
        "borderline_above": "Grenzwertig, aber über der Grenze",
        "borderline_below": "Noch unter der Grenze",
        "clearly_above": "Deutlich über der Grenze",
        "well_below": "Deutlich unter der Grenze",
        "score": "Toxizität {score} (Grenze: {threshold})",
        "score_in_sentence": "Toxizität {score} (Grenze: {threshold})",
        "disclaimer": "Eingeschätzt von einem Sprachmodell, das sich irren kann",
        "asked_by": "Gefragt hat <@{user}>",
        "about_reply": "Zur Antwort von {time}",
        "as_edited": "In der Fassung von {time}",
        "wrote_it": (
            "Ist sie von dir? Du kannst sie bearbeiten; eine neue Reaktion fragt mich noch einmal."
        ),
        "affected": "Betrifft sie dich? <{url}|Hier findest du Hilfe>.",
        "edit_or_delete": "Du kannst sie noch bearbeiten oder löschen.",
        "nothing": {
            "only_files": "Die Nachricht enthält nur Dateien, und ich kann nur Text lesen.",
            "empty": "Die Nachricht enthält keine Wörter.",
            "not_legible": (
                "Bisher kann ich nur Englisch, Deutsch, Französisch, Spanisch, Portugiesisch und "
                "Italienisch lesen."
            ),
            "deleted": "Die Nachricht wurde gelöscht.",
            "own_answer": "Das ist eine meiner eigenen Antworten.",
        },
        "nothing_to_judge": "Hier gibt es nichts einzuschätzen. {why}",
        "outdated": "Das bezieht sich auf eine frühere Fassung",
        "outdated_because": "Die Nachricht wurde nach dieser Antwort bearbeitet, um {time}.",
        "only_you": "Nur für dich sichtbar",
        "nudge": "Deine Nachricht von {time} könnte verletzend wirken.",
        "nudge_of": "Deine Nachricht von {time} könnte auf andere wie {kinds} wirken.",
        "nudge_summary": (
            "Eine Nachricht von dir könnte verletzend wirken. Du kannst sie bearbeiten."
        ),
        "nudge_summary_without_hint": "Eine Nachricht von dir könnte verletzend wirken.",
        "quote": "„{words}“",
        "buttons": {
            "why": "Warum?",
            "right": "Stimmt",
            "wrong": "Stimmt nicht",
            "seen": "Gesehen",
        },
        "not_hurtful": "Nicht verletzend? Sag es uns",
    },
    "reasons": {
        "why": "*Warum?* Das gab den Ausschlag, das Wichtigste zuerst:",
        "why_summary": "Was bei dieser Nachricht den Ausschlag gab.",
        "why_note": (
            "Nur für dich sichtbar · Das zeigt, was ein Sprachmodell bewogen hat, nicht, wer recht "
            "hat"
        ),
        "edited_since": (
            "Die Nachricht wurde inzwischen bearbeitet; hier geht es um die jetzige Fassung.\n"
            "{intro}"
        ),
        "drove": "Das gab den Ausschlag, das Wichtigste zuerst:",
        "no_word": "Kein einzelnes Wort fällt auf: Es ist der Text als Ganzes.",
        "part": "Kein einzelnes Wort fällt auf, aber diese Stelle: {quote}",
        "part_of_kinds": (
            "Kein einzelnes Wort fällt auf, aber diese Stelle wirkt wie {kinds}: {quote}"
        ),
        "nothing_stands_out": "Darin fällt nichts auf.",
        "word": "{quote} – {strength}",
        "slightly": "etwas",
        "clearly": "deutlich",
        "strongly": "stark",
        "part_as_read": "Die entscheidende Stelle, so wie ich sie lese:",
        "text_as_read": "Der Text, so wie ich ihn lese:",
        "nothing_read": "(nichts)",
        "unreadable_language": (
            "Bisher kann ich nur Englisch, Deutsch, Französisch, Spanisch, Portugiesisch und "
            "Italienisch lesen."
        ),
        "no_words": "Hier sind keine Wörter, die ich einschätzen könnte.",
        "text_summary": "Die Einschätzung deines Textes.",
        "change_it": "Ändere ihn, und versuch es noch einmal mit `{command}`.",
        "not_posted": "Er wurde nicht gepostet.",
        "nothing_stored": "Nur für dich sichtbar, und nichts wird gespeichert",
        "not_readable": (
            "Ich kann diese Nachricht nicht lesen, weil ich nicht in diesem Channel bin. Lade mich "
            "ein, oder gib `{command}` und den Text ein."
        ),
        "thanks_right": (
            "Danke. Du stimmst dieser Einschätzung zu. Gespeichert wird deine Stimme, aber kein "
            "Text."
        ),
        "thanks_wrong": (
            "Danke. Du widersprichst dieser Einschätzung. Gespeichert wird deine Stimme, aber kein "
            "Text."
        ),
        "spent": {
            "user": (
                "Du hast mich in dieser Stunde {limit}-mal gefragt; öfter antworte ich nicht. Ab "
                "{time} kannst du mich wieder fragen; bis dahin sage ich nichts."
            ),
            "channel": (
                "In diesem Channel wurde ich in dieser Stunde {limit}-mal gefragt; öfter antworte "
                "ich nicht. Ab {time} könnt ihr mich wieder fragen; bis dahin sage ich nichts."
            ),
            "settings": (
                "Du hast die Einstellungen in dieser Stunde {limit}-mal benutzt. Ab {time} kannst "
                "du sie wieder benutzen."
            ),
            "home": (
                "Du hast diesen Tab in dieser Stunde {limit}-mal geöffnet. Ab {time} aktualisiere "
                "ich ihn wieder."
            ),
            "click": (
                "Du hast meine Buttons in dieser Stunde {limit}-mal gedrückt. Ab {time} reagiere "
                "ich wieder darauf."
            ),
            "message": (
                "Du hast mich in dieser Stunde {limit}-mal nach dieser Nachricht gefragt. Ab "
                "{time} kannst du wieder nach ihr fragen."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "alle im Channel sehen die Antwort, im Thread der Nachricht",
            "ephemeral": "nur wer fragt, sieht die Antwort",
            "nudge": (
                "nur wer die Nachricht geschrieben hat, sieht einen Hinweis, und nur, wenn sie "
                "toxisch wirkt"
            ),
        },
        "exempt": "Nachrichten dieser Person schätze ich in diesem Channel nicht ein.",
        "delay": (
            "Änderungen gelten nach spätestens einer Minute. Frühere Einschätzungen bleiben, wie "
            "sie sind."
        ),
        "thresholds": {
            "balanced": "ab der ausgewogenen Grenze",
            "cautious": "ab der vorsichtigen Grenze",
            "sensitive": "ab der empfindlichen Grenze",
        },
        "threshold_from": "ab {percent}",
        "not_listening": "ich höre nicht zu",
        "emoji": "das Emoji ist {emoji}",
        "alternative": " oder ",
        "flagged": "Nachrichten gelten {threshold} als toxisch",
        "in_channel": "*In <#{channel}>* gilt: {how}.",
        "not_judged": "Nicht eingeschätzt werden Nachrichten von {people}.",
        "press_again": (
            "Das hat Slack zu lange gedauert. Jetzt bin ich wach: Bitte drück noch einmal."
        ),
        "summary": "Die Einstellungen dieses Channels.",
        "open": "Einstellungen öffnen",
        "saved": "Gespeichert. In <#{channel}> gilt: {how}. {delay}",
        "only_admins": (
            "Nur die Admins und Inhaber dieses Workspace dürfen hier die Einstellungen ändern."
        ),
        "only_admins_and_creator": (
            "Nur die Admins und Inhaber dieses Workspace dürfen hier die Einstellungen ändern, und "
            "<@{creator}>, von wem dieser Channel stammt."
        ),
    },
    "form": {
        "title": "Toxic-Bot-Einstellungen",
        "save": "Speichern",
        "cancel": "Abbrechen",
        "only_here": "Nur für <#{channel}>. {delay}",
        "listens": "Höre ich in diesem Channel zu?",
        "yes": "Ja",
        "no": "Nein: keine Antwort",
        "reactions": "Emojis, mit denen man mich fragt",
        "reactions_hint": "Kurznamen, zum Beispiel skull, eyes. Leer: {emoji}.",
        "answer": "Wer sieht die Einschätzung?",
        "answer_hint": "Standard: {who_sees}.",
        "modes": {
            "thread": "Alle, im Thread",
            "ephemeral": "Nur wer fragt",
            "nudge": "Nur wer sie geschrieben hat, wenn toxisch",
        },
        "default_modes": {
            "thread": "Standard (alle, im Thread)",
            "ephemeral": "Standard (nur wer fragt)",
            "nudge": "Standard (nur wer sie geschrieben hat, wenn toxisch)",
        },
        "threshold": "Ab welchem Wert ist eine Nachricht toxisch?",
        "points": {
            "balanced": "Ausgewogen: wenige Fehlalarme",
            "cautious": "Vorsichtig: am wenigsten Fehlalarme",
            "sensitive": "Empfindlich: findet mehr",
        },
        "default_points": {
            "balanced": "Standard (ausgewogen)",
            "cautious": "Standard (vorsichtig)",
            "sensitive": "Standard (empfindlich)",
        },
        "number": "Eine Zahl",
        "percent": "Die Zahl, in Prozent",
        "percent_hint": "Je niedriger sie ist, desto mehr Nachrichten gelten als toxisch.",
        "people": "Personen, deren Nachrichten ich nicht einschätze",
        "errors": {
            "emoji_names": "Verwende die Namen der Emojis, zum Beispiel biohazard_sign, skull.",
            "too_many_emoji": "Verwende höchstens {most} Emojis.",
            "number_not_chosen": "Wähle oben „Eine Zahl“, oder lass dieses Feld leer.",
            "not_a_percentage": "Gib eine ganze Zahl von {least} bis {most} ein.",
            "too_many_people": "Wähle höchstens {most} Personen.",
        },
    },
    "home": {
        "title": "Ist diese Nachricht toxisch?",
        "purpose": (
            "Auf Anfrage sage ich, ob eine Nachricht gegenüber einer Person oder Gruppe "
            "beleidigend, drohend, hasserfüllt, obszön oder herabwürdigend wirkt."
        ),
        "where": "Wo ich bin",
        "today": "Heute in diesem Workspace",
        "method": "Wie ich einschätze",
        "method_text": (
            "Ein kleines Sprachmodell auf den eigenen Servern deiner Firma liest den Text und gibt "
            "ihm einen Wert. Es liest Englisch, Deutsch, Französisch, Spanisch, Portugiesisch und "
            "Italienisch, weiß nichts über die Menschen und kann sich irren. {stored}"
        ),
        "more_about": "<{url}|Mehr darüber, wie ich einschätze>.",
        "try_label": "Einen Text ausprobieren",
        "try_button": "Ist das toxisch?",
        "places_unknown": "Slack sagt es mir nicht.",
        "no_places": "Noch in keinem Channel. Lade mich in einen ein.",
        "place": "{channels}: {how}.",
        "more_places": "Und noch {number}.",
        "nobody_asked": "Bisher hat niemand gefragt.",
        "counts": "{judged} eingeschätzt, davon {toxic} toxisch.",
        "stored": (
            "Ich speichere keine Texte: Nachrichten lese ich, wenn jemand fragt, und vergesse sie "
            "wieder."
        ),
        "ask_reaction": "Reagiere auf eine Nachricht mit {emoji}: {who_sees}.",
        "ask_shortcut": (
            "Wähle *Is this toxic?* im Menü einer Nachricht: Nur du siehst die Antwort."
        ),
        "ask_command": (
            "Gib `{command}` und einen Text ein, bevor du ihn postest: Nur du siehst die Antwort."
        ),
        "hello": "Hallo! Auf Anfrage sage ich, ob eine Nachricht toxisch wirkt.",
    },
    "moderators": {
        "note": "Eine Nachricht in <#{channel}> wirkt {toxic}.",
        "open_message": "Nachricht öffnen",
        "gone": "Die Nachricht wurde inzwischen gelöscht",
        "seen_by": "Gesehen von <@{user}>",
        "title": "Die Woche im Überblick",
        "summary": "Die Woche im Überblick: {total}.",
        "nobody": "Niemand hat gefragt",
        "total_one": "{judged} Nachricht eingeschätzt, davon {toxic} toxisch",
        "total": "{judged} Nachrichten eingeschätzt, davon {toxic} toxisch",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "so viele wie in der Woche davor",
        "as_many": "gleich viele",
        "than_before": "{change} als in der Woche davor",
        "more": "▲ {number} mehr",
        "fewer": "▼ {number} weniger",
        "by_day": "Toxisch, Tag für Tag",
        "by_channel": "Nach Channel",
        "by_kind": "Nach Art",
        "disputed": "Am meisten umstritten",
        "channel": "<#{channel}>: {toxic} von {judged} toxisch ({change})",
        "more_channels": "weitere Channels: {number}",
        "kind": "{kind}: {number} ({change})",
        "kinds": {
            "insult": "Beleidigungen",
            "threat": "Drohungen",
            "identity": "Angriffe auf Menschen wegen dessen, was sie sind",
            "sexual": "sexuelle Belästigung",
            "obscene": "obszöne Ausdrücke",
            "putdown": "Herabsetzungen",
        },
        "dispute": (
            "<{link}|{verdict}, Wert {score}> in <#{channel}>: {wrong} dagegen, {right} dafür"
        ),
        "dispute_toxic": "toxisch",
        "dispute_fine": "nicht toxisch",
        "footnote": (
            "Einschätzungen nach Reaktionen, pro Tag in UTC. Eine Nachricht kann mehreren Arten "
            "angehören. Stimmen und Zahlen enthalten keine Texte."
        ),
        "period": "{first} bis {last}",
        "day": "{day}. {month}",
        "months": (
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ),
    },
    "notices": {
        "switched_off": "Das ist hier abgeschaltet.",
        "other_workspace": "In diesem Workspace antworte ich nicht.",
        "other_channel": "In diesem Channel antworte ich nicht.",
        "usage": (
            "Gib `{command}` und einen Text ein, den du posten willst, zum Beispiel `{command} "
            "das hast du super gemacht`. Nur du siehst die Einschätzung, und nichts wird "
            "gespeichert. `{command} {settings}` ändert, wie ich in diesem Channel antworte."
        ),
        "too_long": "Ich kann bis zu {most} Zeichen auf einmal einschätzen.",
    },
}
