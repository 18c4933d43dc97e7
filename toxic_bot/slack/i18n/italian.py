"""What the bot says in Italian."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

ITALIAN: Texts = {
    "numbers": {
        "percent": "{number}%",
        "under": "meno dell’{percent}",
        "over": "più del {percent}",
        "decimal_point": ",",
        "thousands": ".",
    },
    "verdict": {
        "toxic": "tossico",
        "toxic_of": "tossico: {kinds}",
        "two_kinds": "{first} e {second}",
        "kinds": {
            "insult": "un insulto",
            "threat": "una minaccia",
            "identity": "un attacco a persone per ciò che sono",
            "sexual": "molestie sessuali",
            "obscene": "parole oscene",
            "putdown": "una frase sminuente",
        },
        "message_toxic": "Questo messaggio sembra {toxic}",
        "message_borderline": "Questo messaggio è al limite",
        "message_fine": "Questo messaggio non sembra tossico",
        "text_toxic": "Questo testo sembra {toxic}",
        "text_borderline": "Questo testo è al limite",
        "text_fine": "Questo testo non sembra tossico",
        "borderline_above": "Al limite, ma sopra la soglia",
        "borderline_below": "Ancora sotto la soglia",
        "clearly_above": "Nettamente sopra la soglia",
        "well_below": "Ben al di sotto della soglia",
        "score": "Tossicità: {score} (soglia: {threshold})",
        "score_in_sentence": "tossicità {score} (soglia: {threshold})",
        "disclaimer": "Valutazione di un modello linguistico, che può sbagliare",
        "listed": "Contiene parole sempre considerate tossiche in questo canale",
        "asked_by": "Su richiesta di <@{user}>",
        "about_reply": "Sulla risposta delle {time}",
        "as_edited": "Versione modificata alle {time}",
        "wrote_it": "È tuo? Puoi modificarlo; con una nuova reazione lo rileggo.",
        "wrote_it_followed": "È tuo? Puoi modificarlo, e lo rileggo.",
        "affected": "Ti ha fatto stare male? <{url}|Ecco a chi rivolgerti>.",
        "edit_or_delete": "Puoi ancora modificarlo o eliminarlo.",
        "nothing": {
            "only_files": "il messaggio contiene solo file, e io leggo solo testo.",
            "empty": "il messaggio non contiene parole.",
            "not_legible": (
                "per ora leggo solo inglese, tedesco, francese, spagnolo, portoghese e italiano."
            ),
            "deleted": "il messaggio è stato eliminato.",
            "own_answer": "è una delle mie risposte.",
        },
        "nothing_to_judge": "Qui non c’è niente da valutare: {why}",
        "outdated": "Riguarda una versione precedente",
        "outdated_because": "Il messaggio è stato modificato alle {time}, dopo questa risposta.",
        "only_you": "Visibile solo a te",
        "nudge": "Il tuo messaggio delle {time} potrebbe ferire qualcuno.",
        "nudge_of": "Il tuo messaggio delle {time} potrebbe suonare come {kinds}.",
        "nudge_summary": "Un tuo messaggio potrebbe ferire qualcuno. Puoi modificarlo.",
        "nudge_summary_without_hint": "Un tuo messaggio potrebbe ferire qualcuno.",
        "quote": "“{words}”",
        "buttons": {
            "why": "Perché?",
            "right": "Giusto",
            "wrong": "Sbagliato",
            "seen": "Visto",
        },
        "not_hurtful": "Non ferisce nessuno? Diccelo",
    },
    "reasons": {
        "why": "*Perché?* Che cosa ha pesato sul punteggio, in ordine d’importanza:",
        "why_summary": "Che cosa ha pesato sul punteggio di questo messaggio.",
        "why_note": (
            "Visibile solo a te · Mostra che cosa ha influenzato un modello linguistico, non chi "
            "ha ragione"
        ),
        "edited_since": (
            "Nel frattempo il messaggio è stato modificato; qui si parla del testo attuale.\n"
            "{intro}"
        ),
        "drove": "Che cosa ha pesato sul punteggio, in ordine d’importanza:",
        "on_always": "Sempre considerato tossico in questo canale: {words}",
        "on_never": "Ignorato in questo canale: {words}",
        "no_word": "Nessuna parola spicca; è il testo nel suo insieme.",
        "part": "Nessuna parola spicca, ma questa parte sì: {quote}",
        "part_of_kinds": "Nessuna parola spicca, ma questa parte sì; ci vedo {kinds}: {quote}",
        "nothing_stands_out": "Non spicca niente.",
        "word": "{quote} – {strength}",
        "slightly": "un po’",
        "clearly": "parecchio",
        "strongly": "moltissimo",
        "part_as_read": "La parte decisiva, così come la leggo:",
        "text_as_read": "Il testo, così come lo leggo:",
        "nothing_read": "(niente)",
        "unreadable_language": (
            "Per ora leggo solo inglese, tedesco, francese, spagnolo, portoghese e italiano."
        ),
        "no_words": "Non ci sono parole da valutare.",
        "text_summary": "La valutazione del tuo testo.",
        "change_it": "Modificalo e riprova con `{command}`.",
        "not_posted": "Non è stato pubblicato.",
        "nothing_stored": "Visibile solo a te, e non viene salvato nulla",
        "not_readable": (
            "Non posso leggere questo messaggio perché non sono in questo canale. Invitami, oppure "
            "digita `{command}` e il testo."
        ),
        "thanks_right": (
            "Grazie. Per te questa valutazione è giusta. Conservo il tuo voto, ma nessun testo."
        ),
        "thanks_wrong": (
            "Grazie. Per te questa valutazione è sbagliata. Conservo il tuo voto, ma nessun testo."
        ),
        "spent": {
            "user": (
                "Hai raggiunto il limite di richieste all’ora ({limit}). Potrai chiedermelo di "
                "nuovo dalle {time}; fino ad allora non risponderò."
            ),
            "channel": (
                "Questo canale ha raggiunto il limite di richieste all’ora ({limit}). Potrete "
                "chiedermelo di nuovo dalle {time}; fino ad allora non risponderò."
            ),
            "settings": (
                "Hai raggiunto il limite di utilizzi delle impostazioni all’ora ({limit}). Potrai "
                "usarle di nuovo dalle {time}."
            ),
            "home": (
                "Hai raggiunto il limite di visite a questa scheda all’ora ({limit}). La "
                "aggiornerò di nuovo dalle {time}."
            ),
            "click": (
                "Hai raggiunto il limite di clic sui miei pulsanti all’ora ({limit}). "
                "Risponderanno di nuovo dalle {time}."
            ),
            "message": (
                "Hai raggiunto il limite di richieste all’ora su questo messaggio ({limit}). "
                "Potrai farne altre dalle {time}."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "tutto il canale vede la risposta, nel thread del messaggio",
            "ephemeral": "solo chi chiede vede la risposta",
            "nudge": "solo chi ha scritto il messaggio vede una nota, e soltanto se sembra tossico",
        },
        "exempt": "In questo canale non valuto i messaggi di questa persona.",
        "delay": (
            "Le modifiche valgono entro un minuto. Le valutazioni precedenti restano come sono."
        ),
        "thresholds": {
            "balanced": "dalla soglia equilibrata in su",
            "cautious": "dalla soglia prudente in su",
            "sensitive": "dalla soglia sensibile in su",
        },
        "threshold_from": "con un punteggio da {percent} in su",
        "not_listening": "non ascolto",
        "emoji": "l’emoji è {emoji}",
        "alternative": " o ",
        "flagged": "un messaggio è considerato tossico {threshold}",
        "lists": "alcune parole sono sempre considerate tossiche o vengono ignorate",
        "urgent": "segnalo i messaggi urgenti in <#{channel}>",
        "invite_urgent": (
            "Non sono in <#{channel}>: invitami, altrimenti nessuno saprà dei messaggi urgenti."
        ),
        "in_channel": "*In <#{channel}>*, {how}.",
        "not_judged": "Non valuto i messaggi di {people}.",
        "press_again": "Per Slack ci è voluto troppo. Ora ci sono: premi di nuovo.",
        "summary": "Le impostazioni di questo canale.",
        "open": "Apri le impostazioni",
        "saved": "Salvato. In <#{channel}>, {how}. {delay}",
        "only_admins": (
            "Qui può cambiare le impostazioni solo chi ha il ruolo di admin o di proprietario in "
            "quest’area di lavoro."
        ),
        "only_admins_and_creator": (
            "Qui può cambiare le impostazioni solo chi ha il ruolo di admin o di proprietario in "
            "quest’area di lavoro, oltre a <@{creator}>, che ha creato il canale."
        ),
        "watched": {
            "nudge": (
                "leggo ogni messaggio e avviso in privato chi lo ha scritto se sembra tossico"
            ),
            "note": "leggo ogni messaggio e avviso la moderazione se sembra tossico",
            "thread": "leggo ogni messaggio e rispondo nel thread se sembra tossico",
        },
        "quiet": "(tranne dalle {start} alle {end} {zone})",
        "watch_on": (
            "<@{user}> ha attivato il monitoraggio in questo canale. Da ora in poi {how}. Non "
            "conservo nessun testo. Chi può cambiare le impostazioni può disattivarlo con `/toxic "
            "settings`."
        ),
        "watch_off": (
            "<@{user}> ha disattivato il monitoraggio in questo canale. Qui leggo un messaggio "
            "solo quando qualcuno me lo chiede."
        ),
    },
    "form": {
        "title": "Impostazioni Toxic Bot",
        "save": "Salva",
        "cancel": "Annulla",
        "only_here": "Solo per <#{channel}>. {delay}",
        "listens": "Ascolto in questo canale?",
        "yes": "Sì",
        "no": "No: nessuna risposta",
        "reactions": "Emoji che chiedono una valutazione",
        "reactions_hint": "Nomi brevi, come skull, eyes. Se il campo è vuoto: {emoji}.",
        "answer": "Chi vede la valutazione?",
        "answer_hint": "Per impostazione predefinita, {who_sees}.",
        "modes": {
            "thread": "Tutto il canale, nel thread",
            "ephemeral": "Solo chi chiede",
            "nudge": "Solo chi l’ha scritto, se è tossico",
        },
        "default_modes": {
            "thread": "Predefinito (tutto il canale, nel thread)",
            "ephemeral": "Predefinito (solo chi chiede)",
            "nudge": "Predefinito (solo chi l’ha scritto, se è tossico)",
        },
        "threshold": "Da quale punteggio un messaggio è tossico?",
        "points": {
            "balanced": "Equilibrata: pochi falsi allarmi",
            "cautious": "Prudente: il minimo di falsi allarmi",
            "sensitive": "Sensibile: ne trova di più",
        },
        "default_points": {
            "balanced": "Predefinita (equilibrata)",
            "cautious": "Predefinita (prudente)",
            "sensitive": "Predefinita (sensibile)",
        },
        "number": "Un numero",
        "percent": "Il numero, in percentuale",
        "percent_hint": "Più è basso, più messaggi sono considerati tossici.",
        "people": "Persone di cui non valuto i messaggi",
        "watch": "Leggo ogni messaggio qui?",
        "watch_hint": (
            "Il canale viene avvisato quando si attiva o si disattiva. Non conservo nessun testo."
        ),
        "watch_choices": {
            "off": "No, solo quando qualcuno chiede",
            "nudge": "Sì, con un avviso privato a chi scrive",
            "note": "Sì, con un avviso alla moderazione",
            "thread": "Sì, con una risposta nel thread",
        },
        "watch_percent": "Se leggo tutto: da quale punteggio, in percentuale?",
        "watch_percent_hint": "Se vuoto, vale la soglia qui sopra.",
        "quiet": "Se leggo tutto: ore di silenzio",
        "quiet_hint": (
            "Ora di inizio e di fine, come 18-8. In quell’intervallo leggo un messaggio solo se "
            "qualcuno me lo chiede."
        ),
        "zone": "Fuso orario delle ore di silenzio",
        "zone_hint": (
            "Per esempio Europe/Rome, o semplicemente una città, in inglese. Se vuoto, UTC."
        ),
        "urgent": "Messaggi urgenti: quale canale avviso subito?",
        "urgent_hint": (
            "Minacce, molestie sessuali e segnali di autolesionismo. Se vuoto, come in tutta "
            "l’area di lavoro."
        ),
        "urgent_people": "Messaggi urgenti: chi menziono lì?",
        "always": "Parole ed espressioni sempre considerate tossiche",
        "always_hint": (
            "Una per riga. Un messaggio che ne contiene una è tossico. Solo parole intere; * sta "
            "per lettere qualsiasi: spam*."
        ),
        "never": "Parole ed espressioni che ignoro",
        "never_hint": (
            "Le tralascio e valuto il resto del messaggio. Questo elenco ha la precedenza."
        ),
        "sample": "Prova gli elenchi su un testo",
        "sample_hint": (
            "Se qui c’è un testo, “Salva” mostra solo l’effetto degli elenchi. Lascia vuoto questo "
            "campo per salvare."
        ),
        "tried_always": (
            "Sempre considerato tossico: {words}. Quindi il testo è tossico, qualunque cosa dica "
            "il resto."
        ),
        "tried_never": "Ignorato: {words}.",
        "tried_rest": "Valuterei il resto: {rest}",
        "tried_nothing": "Il testo non contiene nessuna di queste parole. Lo valuterei così com’è.",
        "not_saved_yet": "Non è ancora stato salvato nulla. Per salvare, premi di nuovo “Salva”.",
        "errors": {
            "emoji_names": "Usa i nomi delle emoji, come biohazard_sign, skull.",
            "too_many_emoji": "Usa al massimo {most} emoji.",
            "number_not_chosen": "Scegli “Un numero” qui sopra, o lascia vuoto questo campo.",
            "not_a_percentage": "Inserisci un numero intero da {least} a {most}.",
            "too_many_people": "Scegli al massimo {most} persone.",
            "no_urgent_channel": "Scegli anche un canale per i messaggi urgenti.",
            "not_hours": "Inserisci due ore da 0 a {most}, come 18-8.",
            "not_a_zone": "Inserisci un fuso orario come Europe/Rome o America/New_York.",
            "too_many_words": "Usa al massimo {most} parole ed espressioni.",
            "word_too_long": "“{word}” è troppo lungo: usa al massimo {most} caratteri.",
            "word_too_general": "“{word}” corrisponderebbe a quasi tutto: usa più lettere.",
            "on_both_lists": "“{word}” è in entrambi gli elenchi: scegline uno.",
        },
    },
    "home": {
        "title": "Questo messaggio è tossico?",
        "purpose": (
            "Quando qualcuno me lo chiede, dico se un messaggio sembra offensivo, aggressivo, "
            "minaccioso, carico d’odio, osceno o umiliante verso una persona o un gruppo."
        ),
        "where": "Dove sono",
        "today": "Oggi in quest’area di lavoro",
        "method": "Come valuto",
        "method_text": (
            "Un piccolo modello linguistico sui server della tua azienda legge il testo e gli dà "
            "un punteggio. Legge inglese, tedesco, francese, spagnolo, portoghese e italiano, non "
            "sa nulla delle persone coinvolte e può sbagliare. {stored}"
        ),
        "more_about": "<{url}|Più informazioni su come valuto>.",
        "try_label": "Prova un testo",
        "try_button": "È tossico?",
        "places_unknown": "Slack non me lo dice.",
        "no_places": "Ancora in nessun canale. Invitami in uno.",
        "place": "{channels}: {how}.",
        "more_places": "E ancora {number}.",
        "nobody_asked": "Nessuno ha ancora chiesto.",
        "counts": "Valutati: {judged}, di cui {toxic} dal tono tossico.",
        "stored": (
            "Non conservo nessun testo: leggo un messaggio quando qualcuno chiede o quando tengo "
            "d’occhio il suo canale, poi lo dimentico."
        ),
        "ask_reaction": "Reagisci a un messaggio con {emoji}: {who_sees}.",
        "ask_shortcut": (
            "Scegli *Is this toxic?* nel menu di un messaggio: la risposta la vedi solo tu."
        ),
        "ask_command": (
            "Digita `{command}` e un testo prima di pubblicarlo: la risposta la vedi solo tu."
        ),
        "hello": "Ciao! Chiedimi se un messaggio sembra tossico.",
    },
    "moderators": {
        "note": "Un messaggio in <#{channel}> sembra {toxic}.",
        "open_message": "Apri il messaggio",
        "gone": "Nel frattempo il messaggio è stato eliminato",
        "seen_by": "Visto da <@{user}>",
        "title": "Le valutazioni della settimana",
        "summary": "Le valutazioni della settimana: {total}.",
        "nobody": "Nessuna richiesta",
        "total_one": "{judged} messaggio valutato, di cui {toxic} dal tono tossico",
        "total": "{judged} messaggi valutati, di cui {toxic} dal tono tossico",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "come la settimana precedente",
        "as_many": "invariato",
        "than_before": "{change} rispetto alla settimana precedente",
        "more": "▲ {number} in più",
        "fewer": "▼ {number} in meno",
        "by_day": "Tossici, giorno per giorno",
        "by_channel": "Per canale",
        "by_kind": "Per tipo",
        "disputed": "I più contestati",
        "channel": "<#{channel}>: {toxic} su {judged} dal tono tossico ({change})",
        "more_channels": "altri canali: {number}",
        "kind": "{kind}: {number} ({change})",
        "kinds": {
            "insult": "insulti",
            "threat": "minacce",
            "identity": "attacchi a persone per ciò che sono",
            "sexual": "molestie sessuali",
            "obscene": "parole oscene",
            "putdown": "frasi sminuenti",
        },
        "dispute": (
            "<{link}|{verdict}, punteggio: {score}> in <#{channel}>: {wrong} contro, {right} a "
            "favore"
        ),
        "dispute_toxic": "tossico",
        "dispute_fine": "non tossico",
        "footnote": (
            "Valutazioni chieste con una reazione, per giorno in UTC. Un messaggio può essere di "
            "più tipi. I voti e i conteggi non contengono testi."
        ),
        "period": "{first} – {last}",
        "day": "{day} {month}",
        "first_of_month": "1º",
        "months": (
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ),
    },
    "case": {
        "open": "Da esaminare",
        "taken": "Preso in carico da <@{user}>",
        "closed": "Chiuso: {outcome}",
        "outcomes": {
            "fine": "nessun problema rilevato",
            "talked_to": "colloquio con la persona",
            "removed": "messaggio rimosso",
            "escalated": "passato a un livello superiore",
        },
        "repeated": (
            "Messaggi di questa persona diventati casi negli ultimi {days} giorni: {number}"
        ),
        "buttons": {
            "take": "Prendi in carico",
            "hand_back": "Restituisci",
            "close": "Chiudi il caso",
            "reopen": "Riapri",
            "write": "Scrivi alla persona",
            "ask_edit": "Chiedi una modifica",
            "flag": "Segnala nel thread",
            "remove": "Rimuovi",
        },
        "trail": {
            "take": "<@{user}> ha preso in carico il caso",
            "hand_back": "<@{user}> lo ha restituito",
            "close": "<@{user}> lo ha chiuso: {outcome}",
            "reopen": "<@{user}> lo ha riaperto",
            "write": "<@{user}> ha scritto alla persona",
            "ask_edit": "<@{user}> ha chiesto una modifica",
            "flag": "<@{user}> ha segnalato il messaggio nel thread",
            "remove": "<@{user}> ha rimosso il messaggio",
        },
        "without_response": "Slack non lo ha confermato",
        "refused": "rifiutato da Slack: {error}",
        "asks": {
            "close": "Tutti in questo canale vedono come finisce il caso.",
            "write": (
                "Lo invio a <@{user}> come messaggio privato a nome della moderazione, senza il "
                "tuo nome. Non ne conservo copia."
            ),
            "ask_edit": (
                "Lo invio a <@{user}> come messaggio privato con un link al messaggio, senza il "
                "tuo nome. Non ne conservo copia."
            ),
            "flag": (
                "Rispondo nel thread del messaggio che la moderazione lo ha segnalato. Lì lo "
                "vedono tutti. Il messaggio resta."
            ),
            "remove": (
                "Provo a eliminare il messaggio per tutti. Slack mi lascia eliminare solo ciò che "
                "ho pubblicato io; se rifiuta, te lo dico."
            ),
        },
        "outcome": "Come finisce?",
        "letter_label": "Il tuo messaggio",
        "letter": (
            "Ciao! Un tuo messaggio è stato portato all’attenzione della moderazione. Per favore, "
            "manteniamo conversazioni rispettose."
        ),
        "edit_letter": (
            "Ciao! Un tuo messaggio potrebbe ferire qualcuno. Per favore, modificalo o eliminalo."
        ),
        "empty_letter": "Prima scrivi qualcosa.",
        "from_moderators": "Dalla moderazione. Qui nessuno legge le risposte.",
        "from_moderators_about": (
            "Dalla moderazione, a proposito del <{link}|tuo messaggio>. Qui nessuno legge le "
            "risposte."
        ),
        "flagged": "La moderazione ha segnalato questo messaggio.",
        "told": {
            "write": "Il tuo messaggio è stato inviato.",
            "ask_edit": "La richiesta di modifica è stata inviata.",
            "flag": "Il messaggio è segnalato nel thread.",
            "remove": "Il messaggio è stato rimosso.",
        },
        "told_unknown": (
            "Slack non lo ha confermato. Non riprovo, per non farlo due volte: controlla, per "
            "favore."
        ),
        "told_refused": "Slack ha rifiutato: {error}.",
        "told_cannot_remove": (
            "Slack mi lascia eliminare solo i miei messaggi. Questo può eliminarlo chi lo ha "
            "scritto, oppure un admin se la tua area di lavoro lo consente: aprilo e scegli "
            "*Elimina messaggio*."
        ),
        "told_no_messages_tab": (
            "Slack ha rifiutato, perché la mia scheda “Messaggi” è disattivata. Un admin può "
            "attivarla nelle impostazioni dell’app, in *App Home*."
        ),
        "told_out_of_reach": (
            "Non ho accesso al messaggio, perché non sono in quel canale. Prima invitami."
        ),
        "told_gone": "Il messaggio è già stato eliminato.",
        "taken_before": "<@{user}> ha già preso in carico questo caso.",
        "closed_before": "<@{user}> ha già chiuso questo caso: {outcome}.",
        "not_possible": "Per questo caso non è possibile.",
        "not_allowed": (
            "Possono farlo solo i membri del canale della moderazione che appartengono a "
            "quest’area di lavoro."
        ),
        "not_kept": "Questo caso non esiste più.",
        "home_title": "Casi non ancora chiusi: {number}",
        "home_more": "Altri: {number}.",
    },
    "report": {
        "title": "Segnala alla moderazione",
        "send": "Invia",
        "cancel": "Annulla",
        "close": "Chiudi",
        "intro": (
            "La moderazione riceve un link a questo messaggio, ciò che scrivi qui sotto e come lo "
            "legge un modello linguistico. Il testo stesso non viene trasmesso."
        ),
        "reason": "Di che cosa si tratta?",
        "reasons": {
            "threat": "Una minaccia",
            "sexual": "Molestie sessuali",
            "self_harm": "Autolesionismo o suicidio",
            "identity": "Un attacco a persone per ciò che sono",
            "insult": "Un insulto o bullismo",
            "other": "Altro",
        },
        "word": "Che cosa dovrebbe sapere la moderazione?",
        "word_hint": "Con parole tue. Non vede che cosa è scritto in un messaggio diretto.",
        "name": "Deve sapere chi sei?",
        "stay_anonymous": "No, segnala in forma anonima",
        "be_named": "Sì, così può scrivermi",
        "thanks": "Grazie. La tua segnalazione è in viaggio verso la moderazione.",
        "nobody": (
            "Non c’è nessuno a cui segnalarlo: per me non è configurato alcun canale di "
            "moderazione."
        ),
        "too_late": (
            "Per Slack ci è voluto troppo tempo. Ora sono sveglio: sceglilo di nuovo, per favore."
        ),
        "headline": "Segnalato: {reason}",
        "in_channel": "In <#{channel}>",
        "in_direct_message": "In un messaggio diretto",
        "author": "scritto da <@{user}>",
        "named": "Segnalato da <@{user}>",
        "anonymous": "Segnalato in forma anonima",
        "case_in": "Il caso è in <#{channel}>",
        "reads_as_toxic": "Mi sembra {toxic}, {score}",
        "reads_as_fine": "Non mi sembra tossico, {score}",
        "not_judged": "Non ho potuto valutarlo",
    },
    "care": {
        "summary": "Non devi affrontare tutto questo senza aiuto.",
        "help": (
            "Non devi affrontare tutto questo senza aiuto. Se pensi di farti del male, per favore "
            "parla subito con qualcuno. Su <https://findahelpline.com|findahelpline.com> trovi "
            "linee di ascolto gratuite e riservate, Paese per Paese. In caso di pericolo "
            "immediato, chiama il numero di emergenza locale."
        ),
        "told": "Questo lo vedi solo tu; chi segue qui questi messaggi sa del tuo",
        "asker": (
            "Non valuto questo messaggio: forse chi l’ha scritto sta attraversando un momento "
            "difficile. Potresti chiedere come sta. Su "
            "<https://findahelpline.com|findahelpline.com> trovi linee di ascolto, Paese per "
            "Paese. In caso di pericolo immediato, chiama il numero di emergenza locale."
        ),
        "in_need": (
            "Forse chi ha scritto un messaggio in <#{channel}> ha bisogno di aiuto. Ho mostrato a "
            "questa persona delle linee di ascolto, in privato."
        ),
        "also_reads": "Inoltre sembra {toxic}.",
        "please_look": "{people}: da guardare subito, per favore.",
    },
    "notices": {
        "switched_off": "Qui è disattivato.",
        "other_workspace": "Non rispondo in quest’area di lavoro.",
        "other_channel": "Non rispondo in questo canale.",
        "usage": (
            "Digita `{command}` seguito da un testo che stai per pubblicare, per esempio "
            "`{command} ottimo lavoro`. La valutazione la vedi solo tu, e non viene salvato nulla. "
            "`{command} {settings}` cambia il modo in cui rispondo in questo canale."
        ),
        "too_long": "Posso valutare fino a {most} caratteri alla volta.",
    },
}
