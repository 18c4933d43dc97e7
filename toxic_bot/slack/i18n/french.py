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
        "asked_by": "À la demande de <@{user}>",
        "about_reply": "Au sujet de la réponse de {time}",
        "as_edited": "Version modifiée à {time}",
        "wrote_it": (
            "C’est votre message\u202f? Vous pouvez le modifier\u202f; une nouvelle réaction, et "
            "je le relirai."
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
        "errors": {
            "emoji_names": "Utilisez des noms d’émojis, par exemple biohazard_sign, skull.",
            "too_many_emoji": "Utilisez au maximum {most} émojis.",
            "number_not_chosen": (
                "Choisissez «\u00a0Un nombre\u00a0» ci-dessus, ou laissez ce champ vide."
            ),
            "not_a_percentage": "Saisissez un nombre entier de {least} à {most}.",
            "too_many_people": "Choisissez au maximum {most} personnes.",
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
            "Je ne conserve aucun texte\u00a0: je lis un message quand on me le demande, puis je "
            "l’oublie."
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
