"""What the bot says in Spanish."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

SPANISH: Texts = {
    "numbers": {
        "percent": "{number}\u00a0%",
        "under": "menos del {percent}",
        "over": "más del {percent}",
        "decimal_point": ",",
        "thousands": "\u202f",
    },
    "verdict": {
        "toxic": "tóxico",
        "toxic_of": "tóxico: {kinds}",
        "two_kinds": "{first} y {second}",
        "kinds": {
            "insult": "un insulto",
            "threat": "una amenaza",
            "identity": "un ataque a personas por ser quienes son",
            "sexual": "acoso sexual",
            "obscene": "palabras obscenas",
            "putdown": "un menosprecio",
        },
        "message_toxic": "Este mensaje parece {toxic}",
        "message_borderline": "Este mensaje está al límite",
        "message_fine": "Este mensaje no parece tóxico",
        "text_toxic": "Este texto parece {toxic}",
        "text_borderline": "Este texto está al límite",
        "text_fine": "Este texto no parece tóxico",
        "borderline_above": "Al límite, pero por encima del umbral",
        "borderline_below": "Aún por debajo del umbral",
        "clearly_above": "Claramente por encima del umbral",
        "well_below": "Muy por debajo del umbral",
        "score": "Toxicidad: {score} (umbral: {threshold})",
        "score_in_sentence": "toxicidad de {score} (umbral: {threshold})",
        "disclaimer": "Valoración de un modelo de lenguaje, que puede equivocarse",
        "asked_by": "A petición de <@{user}>",
        "about_reply": "Sobre la respuesta enviada ({time})",
        "as_edited": "Versión editada ({time})",
        "wrote_it": "¿Es tuyo? Puedes editarlo; con una nueva reacción lo vuelvo a leer.",
        "affected": "¿Te ha hecho daño? <{url}|Aquí puedes pedir ayuda>.",
        "edit_or_delete": "Todavía puedes editarlo o eliminarlo.",
        "nothing": {
            "only_files": "el mensaje solo contiene archivos, y yo solo leo texto.",
            "empty": "el mensaje no contiene palabras.",
            "not_legible": (
                "por ahora solo leo inglés, alemán, francés, español, portugués e italiano."
            ),
            "deleted": "el mensaje se ha eliminado.",
            "own_answer": "es una de mis propias respuestas.",
        },
        "nothing_to_judge": "Aquí no hay nada que valorar: {why}",
        "outdated": "Es sobre una versión anterior",
        "outdated_because": "El mensaje se editó después de esta respuesta ({time}).",
        "only_you": "Solo tú puedes ver esto",
        "nudge": "Tu mensaje ({time}) podría resultar hiriente.",
        "nudge_of": "Tu mensaje ({time}) podría interpretarse como {kinds}.",
        "nudge_summary": "Uno de tus mensajes podría resultar hiriente. Puedes editarlo.",
        "nudge_summary_without_hint": "Uno de tus mensajes podría resultar hiriente.",
        "quote": "“{words}”",
        "buttons": {
            "why": "¿Por qué?",
            "right": "Correcto",
            "wrong": "Incorrecto",
            "seen": "Visto",
        },
        "not_hurtful": "¿No es hiriente? Dínoslo",
    },
    "reasons": {
        "why": "*¿Por qué?* Lo que más pesa en la puntuación, de mayor a menor:",
        "why_summary": "Lo que pesa en la puntuación de este mensaje.",
        "why_note": (
            "Solo tú puedes ver esto · Muestra qué influyó en un modelo de lenguaje, no quién "
            "tiene razón"
        ),
        "edited_since": "El mensaje se editó después; esto es sobre el texto actual.\n{intro}",
        "drove": "Lo que más pesa en la puntuación, de mayor a menor:",
        "no_word": "No destaca ninguna palabra; es el texto en su conjunto.",
        "part": "No destaca ninguna palabra, pero sí esta parte: {quote}",
        "part_of_kinds": (
            "No destaca ninguna palabra, pero sí esta parte, en la que veo {kinds}: {quote}"
        ),
        "nothing_stands_out": "No destaca nada.",
        "word": "{quote} – {strength}",
        "slightly": "un poco",
        "clearly": "bastante",
        "strongly": "mucho",
        "part_as_read": "La parte decisiva, tal como la leo:",
        "text_as_read": "El texto, tal como lo leo:",
        "nothing_read": "(nada)",
        "unreadable_language": (
            "Por ahora solo leo inglés, alemán, francés, español, portugués e italiano."
        ),
        "no_words": "No hay palabras que valorar.",
        "text_summary": "La valoración de tu texto.",
        "change_it": "Cámbialo y prueba otra vez con `{command}`.",
        "not_posted": "No se ha publicado.",
        "nothing_stored": "Solo tú puedes ver esto, y no se guarda nada",
        "not_readable": (
            "No puedo leer este mensaje porque no estoy en este canal. Invítame o escribe "
            "`{command}` y el texto."
        ),
        "thanks_right": (
            "Gracias. Esta valoración te parece correcta. Guardo tu voto, pero ningún texto."
        ),
        "thanks_wrong": (
            "Gracias. Esta valoración te parece incorrecta. Guardo tu voto, pero ningún texto."
        ),
        "spent": {
            "user": (
                "Alcanzaste el límite de consultas por hora ({limit}). Podrás volver a preguntarme "
                "a partir de esta hora: {time}; hasta entonces no responderé."
            ),
            "channel": (
                "Este canal alcanzó el límite de consultas por hora ({limit}). Podrán hacerse más "
                "a partir de esta hora: {time}; hasta entonces no responderé."
            ),
            "settings": (
                "Alcanzaste el límite de usos de la configuración por hora ({limit}). Podrás "
                "volver a usarla a partir de esta hora: {time}."
            ),
            "home": (
                "Alcanzaste el límite de visitas a esta pestaña por hora ({limit}). Volveré a "
                "actualizarla a partir de esta hora: {time}."
            ),
            "click": (
                "Alcanzaste el límite de clics en mis botones por hora ({limit}). Volverán a "
                "responder a partir de esta hora: {time}."
            ),
            "message": (
                "Alcanzaste el límite de consultas por hora sobre este mensaje ({limit}). Podrás "
                "volver a preguntar a partir de esta hora: {time}."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "todo el canal ve la respuesta, en el hilo del mensaje",
            "ephemeral": "solo quien pregunta ve la respuesta",
            "nudge": "solo quien escribió el mensaje ve una nota, y únicamente si parece tóxico",
        },
        "exempt": "En este canal no valoro los mensajes de esta persona.",
        "delay": (
            "Los cambios se aplican en menos de un minuto. Las valoraciones anteriores no cambian."
        ),
        "thresholds": {
            "balanced": "a partir del umbral equilibrado",
            "cautious": "a partir del umbral prudente",
            "sensitive": "a partir del umbral sensible",
        },
        "threshold_from": "a partir del {percent}",
        "not_listening": "no escucho",
        "emoji": "el emoji es {emoji}",
        "alternative": " o ",
        "flagged": "un mensaje se considera tóxico {threshold}",
        "in_channel": "*En <#{channel}>*, {how}.",
        "not_judged": "No valoro los mensajes de {people}.",
        "press_again": "Tardé demasiado para Slack. Ya estoy en marcha: pulsa otra vez.",
        "summary": "La configuración de este canal.",
        "open": "Abrir la configuración",
        "saved": "Guardado. En <#{channel}>, {how}. {delay}",
        "only_admins": (
            "Aquí solo puede cambiar la configuración quien tenga el rol de admin o de propietario "
            "en este espacio de trabajo."
        ),
        "only_admins_and_creator": (
            "Aquí solo puede cambiar la configuración quien tenga el rol de admin o de propietario "
            "en este espacio de trabajo, y también <@{creator}>, que creó el canal."
        ),
    },
    "form": {
        "title": "Toxic Bot: configuración",
        "save": "Guardar",
        "cancel": "Cancelar",
        "only_here": "Solo para <#{channel}>. {delay}",
        "listens": "¿Escucho en este canal?",
        "yes": "Sí",
        "no": "No: ninguna respuesta",
        "reactions": "Emojis que piden una valoración",
        "reactions_hint": "Nombres cortos, como skull, eyes. Si se deja vacío: {emoji}.",
        "answer": "¿Quién ve la valoración?",
        "answer_hint": "De forma predeterminada, {who_sees}.",
        "modes": {
            "thread": "Todo el canal, en el hilo",
            "ephemeral": "Solo quien pregunta",
            "nudge": "Solo quien lo escribió, si es tóxico",
        },
        "default_modes": {
            "thread": "Predeterminado (todo el canal, en el hilo)",
            "ephemeral": "Predeterminado (solo quien pregunta)",
            "nudge": "Predeterminado (solo quien lo escribió, si es tóxico)",
        },
        "threshold": "¿Con qué puntuación es tóxico un mensaje?",
        "points": {
            "balanced": "Equilibrado: pocas falsas alarmas",
            "cautious": "Prudente: el de menos falsas alarmas",
            "sensitive": "Sensible: detecta más",
        },
        "default_points": {
            "balanced": "Predeterminado (equilibrado)",
            "cautious": "Predeterminado (prudente)",
            "sensitive": "Predeterminado (sensible)",
        },
        "number": "Un número",
        "percent": "El número, en porcentaje",
        "percent_hint": "Cuanto más bajo, más mensajes se consideran tóxicos.",
        "people": "Personas cuyos mensajes no valoro",
        "errors": {
            "emoji_names": "Usa nombres de emojis, como biohazard_sign, skull.",
            "too_many_emoji": "Usa {most} emojis como máximo.",
            "number_not_chosen": "Elige “Un número” arriba o deja este campo vacío.",
            "not_a_percentage": "Escribe un número entero del {least} al {most}.",
            "too_many_people": "Elige {most} personas como máximo.",
        },
    },
    "home": {
        "title": "¿Es tóxico este mensaje?",
        "purpose": (
            "Cuando alguien me pregunta, digo si un mensaje parece ofensivo, insultante, "
            "amenazante, obsceno, humillante o lleno de odio hacia una persona o un grupo."
        ),
        "where": "Dónde estoy",
        "today": "Hoy en este espacio de trabajo",
        "method": "Cómo valoro",
        "method_text": (
            "Un pequeño modelo de lenguaje en los servidores de tu empresa lee el texto y le da "
            "una puntuación. Lee inglés, alemán, francés, español, portugués e italiano, no sabe "
            "nada de las personas implicadas y puede equivocarse. {stored}"
        ),
        "more_about": "<{url}|Más sobre cómo valoro>.",
        "try_label": "Probar un texto",
        "try_button": "¿Es tóxico?",
        "places_unknown": "Slack no me lo dice.",
        "no_places": "Aún en ningún canal. Invítame a uno.",
        "place": "{channels}: {how}.",
        "more_places": "Y {number} más.",
        "nobody_asked": "Nadie ha preguntado todavía.",
        "counts": "Valorados: {judged}, de ellos {toxic} con tono tóxico.",
        "stored": "No guardo textos: leo un mensaje cuando alguien pregunta y después lo olvido.",
        "ask_reaction": "Reacciona a un mensaje con {emoji}: {who_sees}.",
        "ask_shortcut": (
            "Elige *Is this toxic?* en el menú de un mensaje: solo tú ves la respuesta."
        ),
        "ask_command": (
            "Escribe `{command}` y un texto antes de publicarlo: solo tú ves la respuesta."
        ),
        "hello": "¡Hola! Pregúntame si un mensaje parece tóxico.",
    },
    "moderators": {
        "note": "Un mensaje en <#{channel}> parece {toxic}.",
        "open_message": "Abrir el mensaje",
        "gone": "El mensaje ya se ha eliminado",
        "seen_by": "Visto por <@{user}>",
        "title": "La semana en valoraciones",
        "summary": "La semana en valoraciones: {total}.",
        "nobody": "Nadie preguntó",
        "total_one": "{judged} mensaje valorado, {toxic} con tono tóxico",
        "total": "{judged} mensajes valorados, {toxic} con tono tóxico",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "igual que la semana anterior",
        "as_many": "igual",
        "than_before": "{change} que la semana anterior",
        "more": "▲ {number} más",
        "fewer": "▼ {number} menos",
        "by_day": "Tóxicos, día a día",
        "by_channel": "Por canal",
        "by_kind": "Por tipo",
        "disputed": "Los más discutidos",
        "channel": "<#{channel}>: {toxic} de {judged} con tono tóxico ({change})",
        "more_channels": "otros canales: {number}",
        "kind": "{kind}: {number} ({change})",
        "kinds": {
            "insult": "insultos",
            "threat": "amenazas",
            "identity": "ataques a personas por ser quienes son",
            "sexual": "acoso sexual",
            "obscene": "palabras obscenas",
            "putdown": "menosprecios",
        },
        "dispute": (
            "<{link}|{verdict}, puntuación: {score}> en <#{channel}>: {wrong} en contra, {right} a "
            "favor"
        ),
        "dispute_toxic": "tóxico",
        "dispute_fine": "no tóxico",
        "footnote": (
            "Valoraciones pedidas con una reacción, por día en UTC. Un mensaje puede ser de varios "
            "tipos. Los votos y las cifras no contienen textos."
        ),
        "period": "Del {first} al {last}",
        "day": "{day} de {month}",
        "months": (
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ),
    },
    "notices": {
        "switched_off": "Esto está desactivado aquí.",
        "other_workspace": "No respondo en este espacio de trabajo.",
        "other_channel": "No respondo en este canal.",
        "usage": (
            "Escribe `{command}` seguido de un texto que vayas a publicar, por ejemplo `{command} "
            "buen trabajo`. Solo tú ves la valoración, y no se guarda nada. `{command} {settings}` "
            "cambia cómo respondo en este canal."
        ),
        "too_long": "Puedo valorar hasta {most} caracteres a la vez.",
    },
}
