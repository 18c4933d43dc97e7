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
        "listed": "Contiene palabras que en este canal siempre se consideran tóxicas",
        "asked_by": "A petición de <@{user}>",
        "about_reply": "Sobre la respuesta enviada ({time})",
        "as_edited": "Versión editada ({time})",
        "wrote_it": "¿Es tuyo? Puedes editarlo; con una nueva reacción lo vuelvo a leer.",
        "wrote_it_followed": "¿Es tuyo? Puedes editarlo, y lo vuelvo a leer.",
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
        "on_always": "En este canal siempre se considera tóxico: {words}",
        "on_never": "En este canal se ignora: {words}",
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
        "lists": "algunas palabras siempre se consideran tóxicas o se ignoran",
        "urgent": "aviso de los mensajes urgentes en <#{channel}>",
        "invite_urgent": (
            "No estoy en <#{channel}>: invítame; si no, nadie se enterará de los mensajes urgentes."
        ),
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
        "watched": {
            "nudge": (
                "leo todos los mensajes y aviso en privado a quien escribe uno que parece tóxico"
            ),
            "note": "leo todos los mensajes y aviso a moderación si uno parece tóxico",
            "thread": "leo todos los mensajes y respondo en el hilo si uno parece tóxico",
        },
        "quiet": "(excepto de {start} a {end} {zone})",
        "watch_on": (
            "<@{user}> ha activado la vigilancia en este canal. A partir de ahora, {how}. No "
            "guardo ningún texto. Quien puede cambiar la configuración puede desactivarla con "
            "`/toxic settings`."
        ),
        "watch_off": (
            "<@{user}> ha desactivado la vigilancia en este canal. Aquí solo leo un mensaje "
            "cuando alguien me pregunta."
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
        "watch": "¿Leo aquí todos los mensajes?",
        "watch_hint": (
            "El canal recibe un aviso cuando esto se activa o desactiva. No guardo ningún texto."
        ),
        "watch_choices": {
            "off": "No, solo cuando alguien pregunta",
            "nudge": "Sí, con aviso privado a quien escribe",
            "note": "Sí, con aviso a moderación",
            "thread": "Sí, con respuesta en el hilo",
        },
        "watch_percent": "Si leo todos: ¿desde qué puntuación, en porcentaje?",
        "watch_percent_hint": "Si se deja vacío, el umbral de arriba.",
        "quiet": "Si leo todos: horas de silencio",
        "quiet_hint": (
            "Hora de inicio y de fin, como 18-8. En ese intervalo solo leo un mensaje si alguien "
            "me lo pide."
        ),
        "zone": "Zona horaria de las horas de silencio",
        "zone_hint": (
            "Como Europe/Madrid, o simplemente una ciudad, en inglés. Si se deja vacío, UTC."
        ),
        "urgent": "Mensajes urgentes: ¿a qué canal aviso de inmediato?",
        "urgent_hint": (
            "Amenazas, acoso sexual e indicios de autolesión. Si está vacío, como en todo el "
            "espacio de trabajo."
        ),
        "urgent_people": "Mensajes urgentes: ¿a quién menciono allí?",
        "always": "Palabras y frases que siempre se consideran tóxicas",
        "always_hint": (
            "Una por línea. Un mensaje que contenga alguna de ellas es tóxico. Solo palabras "
            "enteras; * equivale a cualquier serie de letras: spam*."
        ),
        "never": "Palabras y frases que ignoro",
        "never_hint": "Las omito y valoro el resto del mensaje. Esta lista tiene prioridad.",
        "sample": "Probar las listas con un texto",
        "sample_hint": (
            "Si aquí hay un texto, “Guardar” solo muestra qué harían las listas con él. Deja este "
            "campo vacío para guardar."
        ),
        "tried_always": (
            "Siempre se considera tóxico: {words}. El texto es tóxico, diga lo que diga el resto."
        ),
        "tried_never": "Se ignora: {words}.",
        "tried_rest": "Valoraría el resto: {rest}",
        "tried_nothing": "El texto no contiene ninguna de estas palabras. Lo valoraría tal cual.",
        "not_saved_yet": "Aún no se ha guardado nada. Para guardar, pulsa “Guardar” otra vez.",
        "errors": {
            "emoji_names": "Usa nombres de emojis, como biohazard_sign, skull.",
            "too_many_emoji": "Usa {most} emojis como máximo.",
            "number_not_chosen": "Elige “Un número” arriba o deja este campo vacío.",
            "not_a_percentage": "Escribe un número entero del {least} al {most}.",
            "too_many_people": "Elige {most} personas como máximo.",
            "no_urgent_channel": "Elige también un canal para los mensajes urgentes.",
            "not_hours": "Escribe dos horas de 0 a {most}, como 18-8.",
            "not_a_zone": "Escribe una zona horaria como Europe/Madrid o America/Bogota.",
            "too_many_words": "Usa {most} palabras y frases como máximo.",
            "word_too_long": "“{word}” es demasiado largo: usa {most} caracteres como máximo.",
            "word_too_general": "“{word}” coincidiría con casi todo: usa más letras.",
            "on_both_lists": "“{word}” está en las dos listas: elige una.",
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
        "stored": (
            "No guardo ningún texto: leo un mensaje cuando alguien pregunta o cuando vigilo su "
            "canal, y después lo olvido."
        ),
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
        "first_of_month": "1",
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
    "case": {
        "open": "Pendiente",
        "taken": "En manos de <@{user}>",
        "closed": "Cerrado: {outcome}",
        "outcomes": {
            "fine": "nada que objetar",
            "talked_to": "se habló con la persona",
            "removed": "mensaje eliminado",
            "escalated": "elevado a otra instancia",
        },
        "repeated": (
            "Mensajes de esta persona que dieron lugar a casos en los últimos {days} días: {number}"
        ),
        "buttons": {
            "take": "Encargarme",
            "hand_back": "Devolver",
            "close": "Cerrar",
            "reopen": "Reabrir",
            "write": "Escribir a la persona",
            "ask_edit": "Pedir un cambio",
            "flag": "Marcar en el hilo",
            "remove": "Eliminar",
        },
        "trail": {
            "take": "<@{user}> se encargó del caso",
            "hand_back": "<@{user}> lo devolvió",
            "close": "<@{user}> lo cerró: {outcome}",
            "reopen": "<@{user}> lo reabrió",
            "write": "<@{user}> escribió a la persona",
            "ask_edit": "<@{user}> pidió un cambio",
            "flag": "<@{user}> marcó el mensaje en su hilo",
            "remove": "<@{user}> eliminó el mensaje",
        },
        "without_response": "Slack no lo ha confirmado",
        "refused": "rechazado por Slack: {error}",
        "asks": {
            "close": "Todas las personas de este canal ven cómo termina el caso.",
            "write": (
                "Envío esto a <@{user}> como mensaje privado en nombre de moderación, sin tu "
                "nombre. No guardo ninguna copia."
            ),
            "ask_edit": (
                "Envío esto a <@{user}> como mensaje privado con un enlace al mensaje, sin tu "
                "nombre. No guardo ninguna copia."
            ),
            "flag": (
                "Respondo en el hilo del mensaje que moderación lo ha marcado. Todo el mundo puede "
                "verlo allí. El mensaje se queda."
            ),
            "remove": (
                "Intento eliminar el mensaje para todo el mundo. Slack solo me deja eliminar lo "
                "que publiqué yo; si se niega, te lo diré."
            ),
        },
        "outcome": "¿Cómo termina?",
        "letter_label": "Tu mensaje",
        "letter": (
            "¡Hola! Uno de tus mensajes ha llegado a moderación. Por favor, cuidemos el respeto en "
            "nuestras conversaciones."
        ),
        "edit_letter": (
            "¡Hola! Uno de tus mensajes podría resultar hiriente. Por favor, edítalo o elimínalo."
        ),
        "empty_letter": "Escribe algo primero.",
        "from_moderators": "De parte de moderación. Aquí nadie lee las respuestas.",
        "from_moderators_about": (
            "De parte de moderación, sobre <{link}|tu mensaje>. Aquí nadie lee las respuestas."
        ),
        "flagged": "Moderación ha marcado este mensaje.",
        "told": {
            "write": "Tu mensaje se ha enviado.",
            "ask_edit": "La petición de cambio se ha enviado.",
            "flag": "El mensaje está marcado en su hilo.",
            "remove": "El mensaje se ha eliminado.",
        },
        "told_unknown": (
            "Slack no lo ha confirmado. No lo intento otra vez, para no hacerlo dos veces: "
            "compruébalo, por favor."
        ),
        "told_refused": "Slack lo rechazó: {error}.",
        "told_cannot_remove": (
            "Slack solo me deja eliminar mis propios mensajes. Este lo puede eliminar quien lo "
            "escribió, o un admin si tu espacio de trabajo lo permite: ábrelo y elige *Eliminar "
            "mensaje*."
        ),
        "told_no_messages_tab": (
            "Slack lo rechazó porque mi pestaña “Mensajes” está desactivada. Un admin puede "
            "activarla en la configuración de la app, en *App Home*."
        ),
        "told_out_of_reach": (
            "No puedo acceder al mensaje porque no estoy en ese canal. Invítame primero."
        ),
        "told_gone": "El mensaje ya se ha eliminado.",
        "taken_before": "<@{user}> ya se encarga de este caso.",
        "closed_before": "<@{user}> ya cerró este caso: {outcome}.",
        "not_possible": "Eso no es posible en este caso.",
        "not_allowed": (
            "Solo pueden hacerlo miembros del canal de moderación que sean de este espacio de "
            "trabajo."
        ),
        "not_kept": "Este caso ya no existe.",
        "home_title": "Casos sin cerrar: {number}",
        "home_more": "Otros: {number}.",
    },
    "report": {
        "title": "Avisar a moderación",
        "send": "Enviar",
        "cancel": "Cancelar",
        "close": "Cerrar",
        "intro": (
            "Moderación recibe un enlace a este mensaje, lo que escribas abajo y cómo lo lee un "
            "modelo de lenguaje. El texto en sí no se transmite."
        ),
        "reason": "¿De qué se trata?",
        "reasons": {
            "threat": "Una amenaza",
            "sexual": "Acoso sexual",
            "self_harm": "Autolesiones o suicidio",
            "identity": "Un ataque a personas por ser quienes son",
            "insult": "Un insulto o acoso",
            "other": "Otra cosa",
        },
        "word": "¿Qué debería saber moderación?",
        "word_hint": "Con tus palabras. No ve lo que se escribe en un mensaje directo.",
        "name": "¿Debería saber quién eres?",
        "stay_anonymous": "No, avisar de forma anónima",
        "be_named": "Sí, para que me pueda escribir",
        "thanks": "Gracias. Tu aviso va camino de moderación.",
        "nobody": "No hay a quién avisar: no tengo configurado ningún canal de moderación.",
        "too_late": "Tardé demasiado para Slack. Ya estoy en marcha: vuelve a elegirlo.",
        "headline": "Aviso: {reason}",
        "in_channel": "En <#{channel}>",
        "in_direct_message": "En un mensaje directo",
        "author": "escrito por <@{user}>",
        "named": "Aviso de <@{user}>",
        "anonymous": "Aviso anónimo",
        "case_in": "El caso está en <#{channel}>",
        "reads_as_toxic": "Me parece {toxic}, {score}",
        "reads_as_fine": "No me parece tóxico, {score}",
        "not_judged": "No he podido valorarlo",
    },
    "care": {
        "summary": "No tienes que pasar por esto sin ayuda.",
        "help": (
            "No tienes que pasar por esto sin ayuda. Si piensas en hacerte daño, por favor, habla "
            "con alguien ahora. En <https://findahelpline.com|findahelpline.com> hay líneas de "
            "ayuda gratuitas y confidenciales, ordenadas por país. Si corres un peligro inmediato, "
            "llama al número de emergencias local."
        ),
        "told": "Solo tú puedes ver esto; quienes atienden aquí estos mensajes saben del tuyo",
        "asker": (
            "No valoro este mensaje: quizá quien lo escribió esté pasando por un mal momento. "
            "Puedes preguntarle cómo está. En <https://findahelpline.com|findahelpline.com> hay "
            "líneas de ayuda, ordenadas por país. Si corre un peligro inmediato, llama al número "
            "de emergencias local."
        ),
        "in_need": (
            "Quizá necesite ayuda quien escribió un mensaje en <#{channel}>. Le he mostrado "
            "líneas de ayuda en privado."
        ),
        "also_reads": "Además, parece {toxic}.",
        "please_look": "{people}: esto requiere atención ahora.",
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
