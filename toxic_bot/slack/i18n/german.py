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
            "identity": "ein Angriff auf Menschen wegen ihrer Identität",
            "sexual": "sexuelle Belästigung",
            "obscene": "obszöne Ausdrücke",
            "putdown": "eine Herabwürdigung",
        },
        "message_toxic": "Diese Nachricht wirkt {toxic}",
        "message_borderline": "Diese Nachricht ist grenzwertig",
        "message_fine": "Diese Nachricht wirkt nicht toxisch",
        "text_toxic": "Das wirkt {toxic}",
        "text_borderline": "Das ist grenzwertig",
        "text_fine": "Das wirkt nicht toxisch",
        "borderline_above": "Grenzwertig, aber über der Schwelle",
        "borderline_below": "Noch unter der Schwelle",
        "clearly_above": "Deutlich über der Schwelle",
        "well_below": "Deutlich unter der Schwelle",
        "score": "Toxizität {score} (Schwelle: {threshold})",
        "score_in_sentence": "Toxizität {score} (Schwelle: {threshold})",
        "disclaimer": "Eingeschätzt von einem Sprachmodell, das sich irren kann",
        "listed": "Enthält Wörter, die in diesem Channel immer als toxisch gelten",
        "asked_by": "Gefragt hat <@{user}>",
        "about_reply": "Zur Antwort von {time}",
        "as_edited": "In der Fassung von {time}",
        "wrote_it": (
            "Ist sie von dir? Du kannst sie bearbeiten; mit einer neuen Reaktion fragst du mich "
            "noch einmal."
        ),
        "wrote_it_followed": (
            "Ist sie von dir? Du kannst sie bearbeiten, dann lese ich sie noch einmal."
        ),
        "affected": "Betrifft dich das? <{url}|Hier findest du Hilfe>.",
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
            "Nur für dich sichtbar · Das zeigt, worauf ein Sprachmodell reagiert, nicht, wer recht "
            "hat"
        ),
        "edited_since": (
            "Die Nachricht wurde inzwischen bearbeitet; hier geht es um die jetzige Fassung.\n"
            "{intro}"
        ),
        "drove": "Das gab den Ausschlag, das Wichtigste zuerst:",
        "on_always": "Gilt in diesem Channel immer als toxisch: {words}",
        "on_never": "Wird in diesem Channel ignoriert: {words}",
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
            "balanced": "ab der ausgewogenen Schwelle",
            "cautious": "ab der vorsichtigen Schwelle",
            "sensitive": "ab der empfindlichen Schwelle",
        },
        "threshold_from": "ab {percent}",
        "not_listening": "ich höre nicht zu",
        "emoji": "das Emoji ist {emoji}",
        "alternative": " oder ",
        "flagged": "Nachrichten gelten {threshold} als toxisch",
        "lists": "manche Wörter gelten hier immer als toxisch oder werden ignoriert",
        "urgent": "dringende Nachrichten melde ich in <#{channel}>",
        "invite_urgent": (
            "Ich bin nicht in <#{channel}>: Lade mich dort ein, sonst erfährt niemand von "
            "dringenden Nachrichten."
        ),
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
            "wer diesen Channel erstellt hat: <@{creator}>."
        ),
        "watched": {
            "nudge": (
                "ich lese jede Nachricht und sage der Person, die sie geschrieben hat, unter vier "
                "Augen Bescheid, wenn sie toxisch wirkt"
            ),
            "note": (
                "ich lese jede Nachricht und sage der Moderation Bescheid, wenn sie toxisch wirkt"
            ),
            "thread": "ich lese jede Nachricht und antworte im Thread, wenn sie toxisch wirkt",
        },
        "quiet": "(nicht von {start} bis {end} {zone})",
        "watch_on": (
            "<@{user}> lässt mich diesen Channel ab jetzt beobachten: {how}. Texte bewahre ich "
            "nicht auf. Wer die Einstellungen ändern darf, schaltet das mit `/toxic settings` "
            "wieder aus."
        ),
        "watch_off": (
            "<@{user}> hat das Beobachten in diesem Channel ausgeschaltet. Ich lese hier nur noch "
            "Nachrichten, zu denen mich jemand fragt."
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
        "watch": "Lese ich hier jede Nachricht?",
        "watch_hint": (
            "Wird das ein- oder ausgeschaltet, erfährt es der Channel. Texte bewahre ich nicht auf."
        ),
        "watch_choices": {
            "off": "Nein, nur wenn jemand fragt",
            "nudge": "Ja, mit Hinweis unter vier Augen",
            "note": "Ja, mit Notiz an die Moderation",
            "thread": "Ja, mit Antwort im Thread",
        },
        "watch_percent": "Wenn ich jede lese: ab welchem Wert, in Prozent?",
        "watch_percent_hint": "Ohne Angabe gilt die Schwelle von oben.",
        "quiet": "Wenn ich jede lese: Ruhezeit",
        "quiet_hint": "Beginn und Ende, etwa 18-8. Dazwischen lese ich nur, wonach jemand fragt.",
        "zone": "Zeitzone der Ruhezeit",
        "zone_hint": "Zum Beispiel Europe/Berlin oder einfach eine Stadt, auf Englisch. Leer: UTC.",
        "urgent": "Dringende Nachrichten: Welcher Channel erfährt sofort davon?",
        "urgent_hint": (
            "Drohungen, sexuelle Belästigung und Anzeichen von Selbstverletzung. Leer: wie im "
            "ganzen Workspace."
        ),
        "urgent_people": "Dringende Nachrichten: Wer wird dort erwähnt?",
        "always": "Wörter und Wendungen, die immer als toxisch gelten",
        "always_hint": (
            "Ein Eintrag pro Zeile. Jede Nachricht, in der einer davon vorkommt, gilt als toxisch. "
            "Nur ganze Wörter; * steht für beliebige Buchstaben: spam*."
        ),
        "never": "Wörter und Wendungen, die ich ignoriere",
        "never_hint": (
            "Ich lasse sie weg und schätze den Rest der Nachricht ein. Diese Liste hat Vorrang."
        ),
        "sample": "Die Listen an einem Text testen",
        "sample_hint": (
            "Steht hier ein Text, zeigt „Speichern“ nur, was die Listen mit ihm machen. Zum "
            "Speichern leer lassen."
        ),
        "tried_always": (
            "Gilt immer als toxisch: {words}. Der Text ist also toxisch, egal, was sonst darin "
            "steht."
        ),
        "tried_never": "Wird ignoriert: {words}.",
        "tried_rest": "Den Rest würde ich einschätzen: {rest}",
        "tried_nothing": (
            "Keins dieser Wörter kommt im Text vor. Ich würde ihn einschätzen, wie er ist."
        ),
        "not_saved_yet": "Noch ist nichts gespeichert. Klicke dafür noch einmal auf „Speichern“.",
        "errors": {
            "emoji_names": "Verwende die Namen der Emojis, zum Beispiel biohazard_sign, skull.",
            "too_many_emoji": "Verwende höchstens {most} Emojis.",
            "number_not_chosen": "Wähle oben „Eine Zahl“, oder lass dieses Feld leer.",
            "not_a_percentage": "Gib eine ganze Zahl von {least} bis {most} ein.",
            "too_many_people": "Wähle höchstens {most} Personen.",
            "no_urgent_channel": "Wähle auch einen Channel für dringende Nachrichten.",
            "not_hours": "Gib zwei Uhrzeiten von 0 bis {most} ein, etwa 18-8.",
            "not_a_zone": "Gib eine Zeitzone wie Europe/Berlin oder America/New_York ein.",
            "too_many_words": "Verwende höchstens {most} Wörter und Wendungen.",
            "word_too_long": "„{word}“ ist zu lang: höchstens {most} Zeichen.",
            "word_too_general": "„{word}“ passt auf fast alles: Verwende mehr Buchstaben.",
            "on_both_lists": "„{word}“ steht auf beiden Listen: Wähle eine.",
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
            "Ich speichere keine Texte: Ich lese eine Nachricht, wenn jemand fragt oder ich ihren "
            "Channel beobachte, und vergesse sie dann."
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
            "identity": "Angriffe auf Menschen wegen ihrer Identität",
            "sexual": "sexuelle Belästigung",
            "obscene": "obszöne Ausdrücke",
            "putdown": "Herabwürdigungen",
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
        "first_of_month": "1",
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
    "case": {
        "open": "Offen",
        "taken": "Übernommen von <@{user}>",
        "closed": "Abgeschlossen: {outcome}",
        "outcomes": {
            "fine": "nichts zu beanstanden",
            "talked_to": "mit der Person gesprochen",
            "removed": "Nachricht entfernt",
            "escalated": "nach oben weitergegeben",
        },
        "repeated": (
            "Nachrichten dieser Person, die in den letzten {days} Tagen zu Fällen wurden: {number}"
        ),
        "buttons": {
            "take": "Übernehmen",
            "hand_back": "Zurückgeben",
            "close": "Abschließen",
            "reopen": "Wieder öffnen",
            "write": "Person anschreiben",
            "ask_edit": "Um Änderung bitten",
            "flag": "Im Thread markieren",
            "remove": "Entfernen",
        },
        "trail": {
            "take": "<@{user}> hat den Fall übernommen",
            "hand_back": "<@{user}> hat ihn zurückgegeben",
            "close": "<@{user}> hat ihn abgeschlossen: {outcome}",
            "reopen": "<@{user}> hat ihn wieder geöffnet",
            "write": "<@{user}> hat die Person angeschrieben",
            "ask_edit": "<@{user}> hat um eine Änderung gebeten",
            "flag": "<@{user}> hat die Nachricht in ihrem Thread markiert",
            "remove": "<@{user}> hat die Nachricht entfernt",
        },
        "without_response": "Slack hat es nicht bestätigt",
        "refused": "von Slack abgelehnt: {error}",
        "asks": {
            "close": "Alle in diesem Channel sehen, wie der Fall ausgeht.",
            "write": (
                "Ich schicke das <@{user}> als private Nachricht im Namen der Moderation, ohne "
                "deinen Namen. Eine Kopie behalte ich nicht."
            ),
            "ask_edit": (
                "Ich schicke das <@{user}> als private Nachricht mit einem Link zur Nachricht, "
                "ohne deinen Namen. Eine Kopie behalte ich nicht."
            ),
            "flag": (
                "Ich schreibe in den Thread der Nachricht, dass die Moderation sie markiert hat. "
                "Alle dort sehen das. Die Nachricht bleibt stehen."
            ),
            "remove": (
                "Ich versuche, die Nachricht für alle zu löschen. Slack lässt mich nur löschen, "
                "was ich selbst geschrieben habe; lehnt es ab, sage ich es dir."
            ),
        },
        "outcome": "Wie geht er aus?",
        "letter_label": "Deine Nachricht",
        "letter": (
            "Hallo! Eine Nachricht von dir ist der Moderation aufgefallen. Bitte achte auf einen "
            "respektvollen Umgang."
        ),
        "edit_letter": (
            "Hallo! Eine Nachricht von dir könnte verletzend wirken. Bitte bearbeite oder lösche "
            "sie."
        ),
        "empty_letter": "Schreib erst etwas.",
        "from_moderators": "Von der Moderation. Antworten liest hier niemand.",
        "from_moderators_about": (
            "Von der Moderation, zu <{link}|deiner Nachricht>. Antworten liest hier niemand."
        ),
        "flagged": "Die Moderation hat diese Nachricht markiert.",
        "told": {
            "write": "Deine Nachricht wurde verschickt.",
            "ask_edit": "Die Bitte um Änderung wurde verschickt.",
            "flag": "Die Nachricht ist in ihrem Thread markiert.",
            "remove": "Die Nachricht wurde entfernt.",
        },
        "told_unknown": (
            "Slack hat es nicht bestätigt. Ich versuche es nicht noch einmal, damit es nicht "
            "doppelt passiert: Sieh bitte nach."
        ),
        "told_refused": "Slack hat abgelehnt: {error}.",
        "told_cannot_remove": (
            "Slack lässt mich nur meine eigenen Nachrichten löschen. Diese kann löschen, wer sie "
            "geschrieben hat, oder ein Admin, wenn euer Workspace das erlaubt: Öffne sie und wähle "
            "*Nachricht löschen*."
        ),
        "told_no_messages_tab": (
            "Slack hat abgelehnt, weil mein Tab „Nachrichten“ ausgeschaltet ist. Ein Admin kann "
            "ihn in den Einstellungen der App unter *App Home* einschalten."
        ),
        "told_out_of_reach": (
            "Ich komme nicht an die Nachricht, weil ich nicht in diesem Channel bin. Lade mich "
            "zuerst dorthin ein."
        ),
        "told_gone": "Die Nachricht wurde schon gelöscht.",
        "taken_before": "<@{user}> hat diesen Fall schon übernommen.",
        "closed_before": "<@{user}> hat diesen Fall schon abgeschlossen: {outcome}.",
        "not_possible": "Das geht bei diesem Fall nicht.",
        "not_allowed": (
            "Das können nur Mitglieder des Moderations-Channels, die zu diesem Workspace gehören."
        ),
        "not_kept": "Diesen Fall gibt es nicht mehr.",
        "home_title": "Noch nicht abgeschlossene Fälle: {number}",
        "home_more": "Weitere: {number}.",
    },
    "report": {
        "title": "An Moderation melden",
        "send": "Senden",
        "cancel": "Abbrechen",
        "close": "Schließen",
        "intro": (
            "Die Moderation bekommt einen Link zu dieser Nachricht, deine Angaben von unten und "
            "die Einschätzung eines Sprachmodells. Der Text selbst wird nicht weitergegeben."
        ),
        "reason": "Worum geht es?",
        "reasons": {
            "threat": "Eine Drohung",
            "sexual": "Sexuelle Belästigung",
            "self_harm": "Selbstverletzung oder Suizid",
            "identity": "Ein Angriff auf Menschen wegen ihrer Identität",
            "insult": "Eine Beleidigung oder Mobbing",
            "other": "Etwas anderes",
        },
        "word": "Was sollte die Moderation wissen?",
        "word_hint": "In deinen Worten. Was in einer Direktnachricht steht, sieht sie nicht.",
        "name": "Soll sie wissen, wer du bist?",
        "stay_anonymous": "Nein, anonym melden",
        "be_named": "Ja, damit sie mir schreiben kann",
        "thanks": "Danke. Deine Meldung ist auf dem Weg zur Moderation.",
        "nobody": (
            "Es gibt niemanden, dem ich das melden könnte: Für mich ist kein Channel der "
            "Moderation eingerichtet."
        ),
        "too_late": (
            "Das hat Slack zu lange gedauert. Jetzt bin ich wach: Wähle es bitte noch einmal."
        ),
        "headline": "Gemeldet: {reason}",
        "in_channel": "In <#{channel}>",
        "in_direct_message": "In einer Direktnachricht",
        "author": "geschrieben von <@{user}>",
        "named": "Gemeldet von <@{user}>",
        "anonymous": "Anonym gemeldet",
        "case_in": "Der Fall ist in <#{channel}>",
        "reads_as_toxic": "Wirkt auf mich {toxic}, {score}",
        "reads_as_fine": "Wirkt auf mich nicht toxisch, {score}",
        "not_judged": "Ich konnte sie nicht einschätzen",
    },
    "care": {
        "summary": "Du bist nicht allein.",
        "help": (
            "Du bist nicht allein. Wenn du daran denkst, dir etwas anzutun, sprich bitte jetzt mit "
            "jemandem. Auf <https://findahelpline.com|findahelpline.com> findest du kostenlose und "
            "vertrauliche Hilfsangebote, nach Ländern sortiert. Wenn du in akuter Gefahr bist, "
            "wähle den Notruf."
        ),
        "told": "Nur du siehst das; wer sich hier um solche Nachrichten kümmert, weiß von deiner",
        "asker": (
            "Diese Nachricht schätze ich nicht ein: Der Person, die sie geschrieben hat, geht es "
            "vielleicht nicht gut. Frag sie doch, wie es ihr geht. Hilfsangebote, nach Ländern "
            "sortiert, findest du auf <https://findahelpline.com|findahelpline.com>. Wenn sie in "
            "akuter Gefahr ist, wähle den Notruf."
        ),
        "in_need": (
            "Wer eine Nachricht in <#{channel}> geschrieben hat, braucht vielleicht Hilfe. Ich "
            "habe der Person unter vier Augen Hilfsangebote gezeigt."
        ),
        "also_reads": "Sie wirkt außerdem {toxic}.",
        "please_look": "{people}: bitte jetzt ansehen.",
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
