"""What the bot says in French."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

FRENCH: Texts = {
    "numbers": {
        "percent": "{number}\u202f%",
        "under": "moins de {percent}",
        "over": "plus de {percent}",
        "decimal_point": ",",
        "thousands": "\u202f",
    },
    "verdict": {
        "toxic": "toxique",
        "toxic_of": "toxique\u00a0: {kinds}",
        "two_kinds": "{first} et {second}",
        "kinds": {
            "insult": "une insulte",
            "threat": "une menace",
            "identity": "une attaque contre des personnes pour ce qu’elles sont",
            "sexual": "du harcèlement sexuel",
            "obscene": "des obscénités",
            "putdown": "une remarque rabaissante",
        },
        "message_toxic": "Ce message semble {toxic}",
        "message_borderline": "Ce message est à la limite",
        "message_fine": "Ce message ne semble pas toxique",
        "text_toxic": "Ce texte semble {toxic}",
        "text_borderline": "Ce texte est à la limite",
        "text_fine": "Ce texte ne semble pas toxique",
        "borderline_above": "À la limite, mais au-dessus du seuil",
        "borderline_below": "Encore en dessous du seuil",
        "clearly_above": "Nettement au-dessus du seuil",
        "well_below": "Bien en dessous du seuil",
        "score": "Toxicité\u00a0: {score} (seuil\u00a0: {threshold})",
        "score_in_sentence": "toxicité {score} (seuil\u00a0: {threshold})",
        "disclaimer": "Avis d’un modèle de langage, qui peut se tromper",
        "listed": "Contient des mots toujours jugés toxiques dans ce canal",
        "asked_by": "À la demande de <@{user}>",
        "about_reply": "Au sujet de la réponse de {time}",
        "as_edited": "Version modifiée à {time}",
        "wrote_it": (
            "C’est votre message\u202f? Vous pouvez le modifier\u202f; une nouvelle réaction, et "
            "je le relirai."
        ),
        "wrote_it_followed": (
            "C’est votre message\u202f? Vous pouvez le modifier, et je le relirai."
        ),
        "affected": "Il vous a fait du mal\u202f? <{url}|Voici vers qui vous tourner>.",
        "edit_or_delete": "Vous pouvez encore le modifier ou le supprimer.",
        "nothing": {
            "only_files": "le message ne contient que des fichiers, et je ne lis que du texte.",
            "empty": "le message ne contient aucun mot.",
            "not_legible": (
                "pour l’instant, je ne lis que l’anglais, l’allemand, le français, l’espagnol, le "
                "portugais et l’italien."
            ),
            "deleted": "le message a été supprimé.",
            "own_answer": "c’est l’une de mes propres réponses.",
        },
        "nothing_to_judge": "Il n’y a rien à évaluer ici\u00a0: {why}",
        "outdated": "Avis sur une version précédente\u00a0",
        "outdated_because": "Le message a été modifié à {time}, après cette réponse.",
        "only_you": "Visible par vous seulement",
        "nudge": "Votre message de {time} pourrait blesser.",
        "nudge_of": "Votre message de {time} peut être perçu comme {kinds}.",
        "nudge_summary": "L’un de vos messages pourrait blesser. Vous pouvez le modifier.",
        "nudge_summary_without_hint": "L’un de vos messages pourrait blesser.",
        "quote": "«\u00a0{words}\u00a0»",
        "buttons": {
            "why": "Pourquoi\u202f?",
            "right": "Juste",
            "wrong": "Faux",
            "seen": "Vu",
        },
        "not_hurtful": "Rien de blessant\u202f? Dites-le-nous",
    },
    "reasons": {
        "why": "*Pourquoi\u202f?* Ce qui a pesé sur le score, par ordre d’importance\u00a0:",
        "why_summary": "Ce qui a pesé sur le score de ce message.",
        "why_note": (
            "Visible par vous seulement · Cela montre ce qui a influencé un modèle de langage, pas "
            "qui a raison"
        ),
        "edited_since": (
            "Le message a été modifié depuis\u202f; voici ce qu’il en est du texte actuel.\n{intro}"
        ),
        "drove": "Ce qui a pesé sur le score, par ordre d’importance\u00a0:",
        "on_always": "Toujours jugé toxique dans ce canal\u00a0: {words}",
        "on_never": "Ignoré dans ce canal\u00a0: {words}",
        "no_word": "Aucun mot ne ressort en particulier\u202f; c’est le texte dans son ensemble.",
        "part": "Aucun mot ne ressort en particulier, mais ce passage, oui\u00a0: {quote}",
        "part_of_kinds": (
            "Aucun mot ne ressort en particulier, mais ce passage, oui\u202f; j’y vois "
            "{kinds}\u00a0: {quote}"
        ),
        "nothing_stands_out": "Rien n’y ressort.",
        "word": "{quote} – {strength}",
        "slightly": "un peu",
        "clearly": "nettement",
        "strongly": "fortement",
        "part_as_read": "Le passage décisif, tel que je le lis\u00a0:",
        "text_as_read": "Le texte, tel que je le lis\u00a0:",
        "nothing_read": "(rien)",
        "unreadable_language": (
            "Pour l’instant, je ne lis que l’anglais, l’allemand, le français, l’espagnol, le "
            "portugais et l’italien."
        ),
        "no_words": "Il n’y a aucun mot à évaluer.",
        "text_summary": "L’avis sur votre texte.",
        "change_it": "Modifiez-le et réessayez avec `{command}`.",
        "not_posted": "Il n’a pas été publié.",
        "nothing_stored": "Visible par vous seulement, et rien n’est conservé",
        "not_readable": (
            "Je ne peux pas lire ce message, car je ne suis pas dans ce canal. Invitez-moi, ou "
            "saisissez `{command}` suivi du texte."
        ),
        "thanks_right": (
            "Merci. Vous trouvez cet avis juste. Je garde votre vote, mais aucun texte."
        ),
        "thanks_wrong": "Merci. Vous trouvez cet avis faux. Je garde votre vote, mais aucun texte.",
        "spent": {
            "user": (
                "Vous avez atteint la limite de demandes par heure ({limit}). Vous pourrez "
                "redemander un avis à partir de {time}\u202f; d’ici là, je ne répondrai pas."
            ),
            "channel": (
                "Ce canal a atteint la limite de demandes par heure ({limit}). Vous pourrez "
                "redemander un avis à partir de {time}\u202f; d’ici là, je ne répondrai pas."
            ),
            "settings": (
                "Vous avez utilisé les paramètres {limit} fois cette heure-ci. Vous pourrez y "
                "revenir à partir de {time}."
            ),
            "home": (
                "Vous avez ouvert cet onglet {limit} fois cette heure-ci. Je l’actualiserai de "
                "nouveau à partir de {time}."
            ),
            "click": (
                "Vous avez cliqué sur mes boutons {limit} fois cette heure-ci. Ils répondront de "
                "nouveau à partir de {time}."
            ),
            "message": (
                "Vous avez demandé un avis sur ce message {limit} fois cette heure-ci. Vous "
                "pourrez en redemander un à partir de {time}."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "tout le canal voit la réponse, dans le fil du message",
            "ephemeral": "seule la personne qui demande voit la réponse",
            "nudge": (
                "seule la personne qui a écrit le message voit une note, et uniquement s’il semble "
                "toxique"
            ),
        },
        "exempt": "Dans ce canal, je n’évalue pas les messages de cette personne.",
        "delay": (
            "Les changements prennent effet en moins d’une minute. Les avis déjà rendus ne "
            "changent pas."
        ),
        "thresholds": {
            "balanced": "à partir du seuil équilibré",
            "cautious": "à partir du seuil prudent",
            "sensitive": "à partir du seuil sensible",
        },
        "threshold_from": "à partir de {percent}",
        "not_listening": "je n’écoute pas",
        "emoji": "l’émoji est {emoji}",
        "alternative": " ou ",
        "flagged": "un message est jugé toxique {threshold}",
        "lists": "certains mots y sont toujours jugés toxiques ou ignorés",
        "urgent": "je signale les messages urgents dans <#{channel}>",
        "invite_urgent": (
            "Je ne suis pas dans <#{channel}>\u00a0: invitez-moi, sinon personne ne sera prévenu "
            "des messages urgents."
        ),
        "in_channel": "*Dans <#{channel}>*, {how}.",
        "not_judged": "Je n’évalue pas les messages de {people}.",
        "press_again": (
            "C’était trop long pour Slack. Je suis réveillé maintenant\u00a0: appuyez encore une "
            "fois."
        ),
        "summary": "Les paramètres de ce canal.",
        "open": "Ouvrir les paramètres",
        "saved": "Enregistré. Dans <#{channel}>, {how}. {delay}",
        "only_admins": (
            "Il faut être admin ou propriétaire de cet espace de travail pour modifier les "
            "paramètres ici."
        ),
        "only_admins_and_creator": (
            "Pour modifier les paramètres ici, il faut être admin ou propriétaire de cet espace de "
            "travail\u202f; <@{creator}>, à l’origine de ce canal, le peut aussi."
        ),
        "watched": {
            "nudge": (
                "je lis chaque message et je préviens son auteur en privé s’il semble toxique"
            ),
            "note": "je lis chaque message et je préviens la modération s’il semble toxique",
            "thread": "je lis chaque message et je réponds dans le fil s’il semble toxique",
        },
        "quiet": "(sauf de {start} à {end} {zone})",
        "watch_on": (
            "<@{user}> me fait surveiller ce canal. Désormais, {how}. Je ne garde aucun texte. Les "
            "personnes qui peuvent modifier les paramètres peuvent y mettre fin avec `/toxic "
            "settings`."
        ),
        "watch_off": (
            "<@{user}> a mis fin à la surveillance de ce canal. Ici, je ne lis un message que si "
            "on me le demande."
        ),
    },
    "form": {
        "title": "Paramètres de Toxic Bot",
        "save": "Enregistrer",
        "cancel": "Annuler",
        "only_here": "Pour <#{channel}> uniquement. {delay}",
        "listens": "Est-ce que j’écoute dans ce canal\u202f?",
        "yes": "Oui",
        "no": "Non\u00a0: aucune réponse",
        "reactions": "Émojis qui demandent un avis",
        "reactions_hint": (
            "Noms courts, par exemple skull, eyes. Si le champ est vide\u00a0: {emoji}."
        ),
        "answer": "Qui voit l’avis\u202f?",
        "answer_hint": "Par défaut, {who_sees}.",
        "modes": {
            "thread": "Tout le canal, dans le fil",
            "ephemeral": "Seulement la personne qui demande",
            "nudge": "Seulement la personne qui l’a écrit, s’il est toxique",
        },
        "default_modes": {
            "thread": "Par défaut (tout le canal, dans le fil)",
            "ephemeral": "Par défaut (seulement la personne qui demande)",
            "nudge": "Par défaut (seulement la personne qui l’a écrit, s’il est toxique)",
        },
        "threshold": "À partir de quel score un message est-il toxique\u202f?",
        "points": {
            "balanced": "Équilibré\u00a0: peu de fausses alertes",
            "cautious": "Prudent\u00a0: le moins de fausses alertes",
            "sensitive": "Sensible\u00a0: en repère davantage",
        },
        "default_points": {
            "balanced": "Par défaut (équilibré)",
            "cautious": "Par défaut (prudent)",
            "sensitive": "Par défaut (sensible)",
        },
        "number": "Un nombre",
        "percent": "Le nombre, en pourcentage",
        "percent_hint": "Plus il est bas, plus il y a de messages jugés toxiques.",
        "people": "Personnes dont je n’évalue pas les messages",
        "watch": "Est-ce que je lis chaque message ici\u202f?",
        "watch_hint": "Le canal est prévenu de tout changement. Je ne garde aucun texte.",
        "watch_choices": {
            "off": "Non, seulement si on me le demande",
            "nudge": "Oui, en prévenant l’auteur en privé",
            "note": "Oui, en prévenant la modération",
            "thread": "Oui, en répondant dans le fil",
        },
        "watch_percent": "Si je lis tout\u00a0: à partir de quel score, en pourcentage\u202f?",
        "watch_percent_hint": "Par défaut, le seuil ci-dessus.",
        "quiet": "Si je lis tout\u00a0: heures de silence",
        "quiet_hint": (
            "Heure de début et de fin, par exemple 18-8. Entre les deux, je ne lis un message que "
            "si on me le demande."
        ),
        "zone": "Fuseau horaire des heures de silence",
        "zone_hint": (
            "Par exemple Europe/Paris, ou simplement une ville, en anglais. Par défaut, UTC."
        ),
        "urgent": "Messages urgents\u00a0: quel canal prévenir aussitôt\u202f?",
        "urgent_hint": (
            "Menaces, harcèlement sexuel et signes d’automutilation. Si le champ est vide, comme "
            "pour tout l’espace de travail."
        ),
        "urgent_people": "Messages urgents\u00a0: qui y mentionner\u202f?",
        "always": "Mots et expressions toujours jugés toxiques",
        "always_hint": (
            "Une entrée par ligne. Un message qui en contient une est jugé toxique. Mots entiers "
            "uniquement\u202f; * remplace n’importe quelles lettres\u00a0: spam*."
        ),
        "never": "Mots et expressions que j’ignore",
        "never_hint": (
            "Je les laisse de côté et j’évalue le reste du message. Cette liste a la priorité."
        ),
        "sample": "Essayer les listes sur un texte",
        "sample_hint": (
            "Si ce champ contient un texte, «\u00a0Enregistrer\u00a0» montre seulement l’effet des "
            "listes. Laissez-le vide pour enregistrer."
        ),
        "tried_always": (
            "Toujours jugé toxique\u00a0: {words}. Le texte est donc toxique, quel que soit le "
            "reste."
        ),
        "tried_never": "Ignoré\u00a0: {words}.",
        "tried_rest": "J’évaluerais le reste\u00a0: {rest}",
        "tried_nothing": "Le texte ne contient aucun de ces mots. Je l’évaluerais tel quel.",
        "not_saved_yet": (
            "Rien n’est encore enregistré. Pour enregistrer, cliquez de nouveau sur "
            "«\u00a0Enregistrer\u00a0»."
        ),
        "errors": {
            "emoji_names": "Utilisez des noms d’émojis, par exemple biohazard_sign, skull.",
            "too_many_emoji": "Utilisez au maximum {most} émojis.",
            "number_not_chosen": (
                "Choisissez «\u00a0Un nombre\u00a0» ci-dessus, ou laissez ce champ vide."
            ),
            "not_a_percentage": "Saisissez un nombre entier de {least} à {most}.",
            "too_many_people": "Choisissez au maximum {most} personnes.",
            "no_urgent_channel": "Choisissez aussi un canal pour les messages urgents.",
            "not_hours": "Saisissez deux heures de 0 à {most}, par exemple 18-8.",
            "not_a_zone": "Saisissez un fuseau horaire comme Europe/Paris ou America/Montreal.",
            "too_many_words": "Utilisez au maximum {most} mots et expressions.",
            "word_too_long": (
                "«\u00a0{word}\u00a0» est trop long\u00a0: {most} caractères au maximum."
            ),
            "word_too_general": (
                "«\u00a0{word}\u00a0» correspondrait à presque tout\u00a0: utilisez plus de "
                "lettres."
            ),
            "on_both_lists": (
                "«\u00a0{word}\u00a0» est sur les deux listes\u00a0: choisissez-en une."
            ),
        },
    },
    "home": {
        "title": "Ce message est-il toxique\u202f?",
        "purpose": (
            "À la demande, je dis si un message semble insultant, menaçant, haineux, obscène, "
            "agressif ou rabaissant envers une personne ou un groupe."
        ),
        "where": "Où je suis",
        "today": "Aujourd’hui dans cet espace de travail",
        "method": "Comment j’évalue",
        "method_text": (
            "Un petit modèle de langage, sur les serveurs de votre entreprise, lit le texte et lui "
            "donne un score. Il lit l’anglais, l’allemand, le français, l’espagnol, le portugais "
            "et l’italien, ne sait rien des personnes concernées et peut se tromper. {stored}"
        ),
        "more_about": "<{url}|En savoir plus sur ma méthode>.",
        "try_label": "Essayer un texte",
        "try_button": "Est-ce toxique\u202f?",
        "places_unknown": "Slack ne me le dit pas.",
        "no_places": "Dans aucun canal pour l’instant. Invitez-moi dans l’un des vôtres.",
        "place": "{channels}\u00a0: {how}.",
        "more_places": "Et encore {number}.",
        "nobody_asked": "Personne n’a encore demandé d’avis.",
        "counts": "Évalués\u00a0: {judged}, dont {toxic} au ton toxique.",
        "stored": (
            "Je n’enregistre aucun texte\u00a0: je lis un message quand on me le demande, ou dans "
            "un canal que je surveille, puis je l’oublie."
        ),
        "ask_reaction": "Réagissez à un message avec {emoji}\u00a0: {who_sees}.",
        "ask_shortcut": (
            "Choisissez *Is this toxic?* dans le menu d’un message\u00a0: la réponse n’est visible "
            "que par vous."
        ),
        "ask_command": (
            "Saisissez `{command}` et un texte avant de le publier\u00a0: la réponse n’est visible "
            "que par vous."
        ),
        "hello": "Bonjour\u202f! Demandez-moi si un message semble toxique.",
    },
    "moderators": {
        "note": "Un message dans <#{channel}> semble {toxic}.",
        "open_message": "Ouvrir le message",
        "gone": "Le message a été supprimé depuis",
        "seen_by": "Vu par <@{user}>",
        "title": "Les avis de la semaine",
        "summary": "Les avis de la semaine\u00a0: {total}.",
        "nobody": "Aucune demande",
        "total_one": "{judged} message évalué, dont {toxic} au ton toxique",
        "total": "{judged} messages évalués, dont {toxic} au ton toxique",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "autant que la semaine précédente",
        "as_many": "autant",
        "than_before": "{change} que la semaine précédente",
        "more": "▲ {number} de plus",
        "fewer": "▼ {number} de moins",
        "by_day": "Toxiques, jour par jour",
        "by_channel": "Par canal",
        "by_kind": "Par type",
        "disputed": "Les plus contestés",
        "channel": "<#{channel}>\u00a0: {toxic} sur {judged} au ton toxique ({change})",
        "more_channels": "autres canaux\u00a0: {number}",
        "kind": "{kind}\u00a0: {number} ({change})",
        "kinds": {
            "insult": "insultes",
            "threat": "menaces",
            "identity": "attaques contre des personnes pour ce qu’elles sont",
            "sexual": "harcèlement sexuel",
            "obscene": "obscénités",
            "putdown": "remarques rabaissantes",
        },
        "dispute": (
            "<{link}|{verdict}, score\u00a0: {score}> dans <#{channel}>\u00a0: {wrong} contre, "
            "{right} pour"
        ),
        "dispute_toxic": "toxique",
        "dispute_fine": "non toxique",
        "footnote": (
            "Avis demandés par une réaction, par jour en UTC. Un message peut relever de plusieurs "
            "types. Les votes et les chiffres ne contiennent aucun texte."
        ),
        "period": "Du {first} au {last}",
        "day": "{day} {month}",
        "first_of_month": "1er",
        "months": (
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ),
    },
    "case": {
        "open": "À traiter",
        "taken": "Pris en charge par <@{user}>",
        "closed": "Clos\u00a0: {outcome}",
        "outcomes": {
            "fine": "aucun problème constaté",
            "talked_to": "échange avec la personne",
            "removed": "message supprimé",
            "escalated": "transmis à un niveau supérieur",
        },
        "repeated": (
            "Messages de cette personne devenus des dossiers ces {days} derniers jours\u00a0: "
            "{number}"
        ),
        "buttons": {
            "take": "Prendre en charge",
            "hand_back": "Rendre",
            "close": "Clore",
            "reopen": "Rouvrir",
            "write": "Écrire à la personne",
            "ask_edit": "Demander une correction",
            "flag": "Signaler dans le fil",
            "remove": "Supprimer",
        },
        "trail": {
            "take": "Pris en charge par <@{user}>",
            "hand_back": "Rendu par <@{user}>",
            "close": "Clos par <@{user}>\u00a0: {outcome}",
            "reopen": "Rouvert par <@{user}>",
            "write": "<@{user}> a écrit à la personne",
            "ask_edit": "<@{user}> a demandé une correction",
            "flag": "<@{user}> a signalé le message dans son fil",
            "remove": "<@{user}> a supprimé le message",
        },
        "without_response": "Slack ne l’a pas confirmé",
        "refused": "refusé par Slack\u00a0: {error}",
        "asks": {
            "close": "Tout le monde dans ce canal voit l’issue du dossier.",
            "write": (
                "J’envoie ceci à <@{user}> en message privé, au nom de la modération et sans votre "
                "nom. Je n’en garde aucune copie."
            ),
            "ask_edit": (
                "J’envoie ceci à <@{user}> en message privé, avec un lien vers le message et sans "
                "votre nom. Je n’en garde aucune copie."
            ),
            "flag": (
                "J’écris dans le fil du message que la modération l’a signalé. Tout le monde peut "
                "y lire cette réponse. Le message reste."
            ),
            "remove": (
                "J’essaie de supprimer le message pour tout le monde. Slack ne me laisse supprimer "
                "que ce que j’ai publié moi-même\u202f; s’il refuse, je vous le dirai."
            ),
        },
        "outcome": "Quelle en est l’issue\u202f?",
        "letter_label": "Votre message",
        "letter": (
            "Bonjour\u202f! L’un de vos messages a été porté à l’attention de la modération. Merci "
            "de garder des échanges respectueux."
        ),
        "edit_letter": (
            "Bonjour\u202f! L’un de vos messages pourrait blesser. Merci de le modifier ou de le "
            "supprimer."
        ),
        "empty_letter": "Écrivez d’abord quelque chose.",
        "from_moderators": "De la part de la modération. Personne ne lit les réponses ici.",
        "from_moderators_about": (
            "De la part de la modération, au sujet de <{link}|votre message>. Personne ne lit les "
            "réponses ici."
        ),
        "flagged": "La modération a signalé ce message.",
        "told": {
            "write": "Votre message a été envoyé.",
            "ask_edit": "La demande de correction a été envoyée.",
            "flag": "Le message est signalé dans son fil.",
            "remove": "Le message a été supprimé.",
        },
        "told_unknown": (
            "Slack ne l’a pas confirmé. Pour éviter un doublon, je ne réessaie pas\u00a0: merci de "
            "vérifier."
        ),
        "told_refused": "Slack a refusé\u00a0: {error}.",
        "told_cannot_remove": (
            "Slack ne me laisse supprimer que mes propres messages. Celui-ci peut être supprimé "
            "par la personne qui l’a écrit, ou par un admin si votre espace de travail le "
            "permet\u00a0: ouvrez-le et choisissez *Supprimer le message*."
        ),
        "told_no_messages_tab": (
            "Slack a refusé, car mon onglet «\u00a0Messages\u00a0» est désactivé. Un admin peut "
            "l’activer dans les paramètres de l’app, sous *App Home*."
        ),
        "told_out_of_reach": (
            "Je n’ai pas accès au message, car je ne suis pas dans ce canal. Invitez-moi d’abord."
        ),
        "told_gone": "Le message a déjà été supprimé.",
        "taken_before": "<@{user}> a déjà pris ce dossier en charge.",
        "closed_before": "<@{user}> a déjà clos ce dossier\u00a0: {outcome}.",
        "not_possible": "Ce n’est pas possible pour ce dossier.",
        "not_allowed": (
            "Seuls les membres du canal de modération qui appartiennent à cet espace de travail "
            "peuvent le faire."
        ),
        "not_kept": "Ce dossier n’existe plus.",
        "home_title": "Dossiers en cours\u00a0: {number}",
        "home_more": "Autres\u00a0: {number}.",
    },
    "report": {
        "title": "Signaler à la modération",
        "send": "Envoyer",
        "cancel": "Annuler",
        "close": "Fermer",
        "intro": (
            "La modération reçoit un lien vers ce message, ce que vous écrivez ci-dessous et "
            "l’avis d’un modèle de langage. Le texte lui-même n’est pas transmis."
        ),
        "reason": "De quoi s’agit-il\u202f?",
        "reasons": {
            "threat": "Une menace",
            "sexual": "Du harcèlement sexuel",
            "self_harm": "Automutilation ou suicide",
            "identity": "Une attaque contre des personnes pour ce qu’elles sont",
            "insult": "Une insulte ou du harcèlement",
            "other": "Autre chose",
        },
        "word": "Que doit savoir la modération\u202f?",
        "word_hint": "Avec vos mots. Elle ne voit pas ce qui est écrit dans un message direct.",
        "name": "Doit-elle savoir qui vous êtes\u202f?",
        "stay_anonymous": "Non, signaler anonymement",
        "be_named": "Oui, pour qu’elle puisse m’écrire",
        "thanks": "Merci. Votre signalement est en route vers la modération.",
        "nobody": (
            "Il n’y a personne à qui le signaler\u00a0: aucun canal de modération n’est configuré "
            "pour moi."
        ),
        "too_late": (
            "Slack a trouvé cela trop long. Je suis réveillé maintenant\u00a0: choisissez-le "
            "encore une fois."
        ),
        "headline": "Signalé\u00a0: {reason}",
        "in_channel": "Dans <#{channel}>",
        "in_direct_message": "Dans un message direct",
        "author": "écrit par <@{user}>",
        "named": "Signalé par <@{user}>",
        "anonymous": "Signalé anonymement",
        "case_in": "Le dossier est dans <#{channel}>",
        "reads_as_toxic": "Il me semble {toxic}, {score}",
        "reads_as_fine": "Il ne me semble pas toxique, {score}",
        "not_judged": "Je n’ai pas pu l’évaluer",
    },
    "care": {
        "summary": "Vous n’avez pas à affronter cela sans soutien.",
        "help": (
            "Vous n’avez pas à affronter cela sans soutien. Si vous pensez à vous faire du mal, "
            "parlez-en à quelqu’un dès maintenant. <https://findahelpline.com|findahelpline.com> "
            "recense des lignes d’écoute gratuites et confidentielles, pays par pays. En cas de "
            "danger immédiat, appelez le numéro d’urgence local."
        ),
        "told": (
            "Visible par vous seulement\u202f; les personnes qui s’occupent ici de ces messages "
            "sont au courant du vôtre"
        ),
        "asker": (
            "Je n’évalue pas ce message\u00a0: la personne qui l’a écrit traverse peut-être un "
            "moment difficile. Vous pourriez lui demander comment elle va. "
            "<https://findahelpline.com|findahelpline.com> recense des lignes d’écoute, pays par "
            "pays. En cas de danger immédiat, appelez le numéro d’urgence local."
        ),
        "in_need": (
            "La personne qui a écrit un message dans <#{channel}> a peut-être besoin d’aide. Je "
            "lui ai indiqué des lignes d’écoute en privé."
        ),
        "also_reads": "Le message semble aussi {toxic}.",
        "please_look": "{people}\u00a0: merci de regarder dès maintenant.",
    },
    "notices": {
        "switched_off": "C’est désactivé ici.",
        "other_workspace": "Je ne réponds pas dans cet espace de travail.",
        "other_channel": "Je ne réponds pas dans ce canal.",
        "usage": (
            "Saisissez `{command}` suivi d’un texte que vous allez publier, par exemple `{command} "
            "beau travail`. L’avis n’est visible que par vous, et rien n’est conservé. `{command} "
            "{settings}` permet de changer ma façon de répondre dans ce canal."
        ),
        "too_long": "Je peux évaluer jusqu’à {most} caractères à la fois.",
    },
}
