"""What the bot says in Portuguese, as written in Brazil."""

from __future__ import annotations

from toxic_bot.slack.i18n.texts import Texts

PORTUGUESE: Texts = {
    "numbers": {
        "percent": "{number}%",
        "under": "menos de {percent}",
        "over": "mais de {percent}",
        "decimal_point": ",",
        "thousands": ".",
    },
    "verdict": {
        "toxic": "tóxico",
        "toxic_of": "tóxico: {kinds}",
        "two_kinds": "{first} e {second}",
        "kinds": {
            "insult": "um insulto",
            "threat": "uma ameaça",
            "identity": "um ataque a pessoas por serem quem são",
            "sexual": "assédio sexual",
            "obscene": "palavras obscenas",
            "putdown": "um comentário depreciativo",
        },
        "message_toxic": "Esta mensagem tem um tom {toxic}",
        "message_borderline": "Esta mensagem está no limite",
        "message_fine": "Esta mensagem não tem um tom tóxico",
        "text_toxic": "Este texto tem um tom {toxic}",
        "text_borderline": "Este texto está no limite",
        "text_fine": "Este texto não tem um tom tóxico",
        "borderline_above": "No limite, mas acima do limiar",
        "borderline_below": "Ainda abaixo do limiar",
        "clearly_above": "Claramente acima do limiar",
        "well_below": "Bem abaixo do limiar",
        "score": "Toxicidade: {score} (limiar: {threshold})",
        "score_in_sentence": "toxicidade de {score} (limiar: {threshold})",
        "disclaimer": "Avaliação de um modelo de linguagem, que pode errar",
        "asked_by": "A pedido de <@{user}>",
        "about_reply": "Sobre a resposta das {time}",
        "as_edited": "Versão editada às {time}",
        "wrote_it": "É sua? Você pode editar; com uma nova reação, eu leio de novo.",
        "affected": "Ela fez mal a você? <{url}|Veja onde buscar apoio>.",
        "edit_or_delete": "Você ainda pode editar ou excluir a mensagem.",
        "nothing": {
            "only_files": "a mensagem só tem arquivos, e eu só leio texto.",
            "empty": "a mensagem não tem palavras.",
            "not_legible": (
                "por enquanto, só leio inglês, alemão, francês, espanhol, português e italiano."
            ),
            "deleted": "a mensagem foi excluída.",
            "own_answer": "esta é uma das minhas próprias respostas.",
        },
        "nothing_to_judge": "Não há nada para avaliar aqui: {why}",
        "outdated": "Sobre uma versão anterior",
        "outdated_because": "A mensagem foi editada às {time}, depois desta resposta.",
        "only_you": "Só você pode ver isto",
        "nudge": "Sua mensagem das {time} pode magoar alguém.",
        "nudge_of": "Sua mensagem das {time} pode soar como {kinds}.",
        "nudge_summary": "Uma das suas mensagens pode magoar alguém. Você pode editá-la.",
        "nudge_summary_without_hint": "Uma das suas mensagens pode magoar alguém.",
        "quote": "“{words}”",
        "buttons": {
            "why": "Por quê?",
            "right": "Certo",
            "wrong": "Errado",
            "seen": "Visto",
        },
        "not_hurtful": "Não magoa ninguém? Conte para nós",
    },
    "reasons": {
        "why": "*Por quê?* O que mais pesou na pontuação, do maior para o menor:",
        "why_summary": "O que pesou na pontuação desta mensagem.",
        "why_note": (
            "Só você pode ver isto · Mostra o que influenciou um modelo de linguagem, não quem tem "
            "razão"
        ),
        "edited_since": "A mensagem foi editada depois disso; aqui vale o texto atual.\n{intro}",
        "drove": "O que mais pesou na pontuação, do maior para o menor:",
        "no_word": "Nenhuma palavra se destaca; é o texto como um todo.",
        "part": "Nenhuma palavra se destaca, mas este trecho, sim: {quote}",
        "part_of_kinds": (
            "Nenhuma palavra se destaca, mas este trecho, sim; vejo nele {kinds}: {quote}"
        ),
        "nothing_stands_out": "Nada se destaca.",
        "word": "{quote} – {strength}",
        "slightly": "um pouco",
        "clearly": "bastante",
        "strongly": "muito",
        "part_as_read": "O trecho decisivo, do jeito que eu leio:",
        "text_as_read": "O texto, do jeito que eu leio:",
        "nothing_read": "(nada)",
        "unreadable_language": (
            "Por enquanto, só leio inglês, alemão, francês, espanhol, português e italiano."
        ),
        "no_words": "Não há palavras para avaliar.",
        "text_summary": "A avaliação do seu texto.",
        "change_it": "Mude o texto e tente de novo com `{command}`.",
        "not_posted": "O texto não foi publicado.",
        "nothing_stored": "Só você pode ver isto, e nada fica guardado",
        "not_readable": (
            "Não consigo ler esta mensagem porque não estou neste canal. Me convide ou digite "
            "`{command}` e o texto."
        ),
        "thanks_right": (
            "Valeu! Para você, esta avaliação está certa. Guardo seu voto, mas nenhum texto."
        ),
        "thanks_wrong": (
            "Valeu! Para você, esta avaliação está errada. Guardo seu voto, mas nenhum texto."
        ),
        "spent": {
            "user": (
                "Você atingiu o limite de pedidos por hora ({limit}). Pode pedir de novo a partir "
                "das {time}; até lá, não vou responder."
            ),
            "channel": (
                "Este canal atingiu o limite de pedidos por hora ({limit}). Vocês podem pedir de "
                "novo a partir das {time}; até lá, não vou responder."
            ),
            "settings": (
                "Você atingiu o limite de usos das configurações por hora ({limit}). Pode usá-las "
                "de novo a partir das {time}."
            ),
            "home": (
                "Você atingiu o limite de visitas a esta guia por hora ({limit}). Volto a "
                "atualizá-la a partir das {time}."
            ),
            "click": (
                "Você atingiu o limite de cliques nos meus botões por hora ({limit}). Eles voltam "
                "a responder a partir das {time}."
            ),
            "message": (
                "Você atingiu o limite de pedidos por hora sobre esta mensagem ({limit}). Pode "
                "pedir de novo a partir das {time}."
            ),
        },
    },
    "channel": {
        "who_sees": {
            "thread": "o canal todo vê a resposta, na thread da mensagem",
            "ephemeral": "só quem pede vê a resposta",
            "nudge": "só quem escreveu a mensagem vê um aviso, e apenas se o tom for tóxico",
        },
        "exempt": "Neste canal, não avalio as mensagens desta pessoa.",
        "delay": (
            "As mudanças valem em até um minuto. As avaliações anteriores continuam como estão."
        ),
        "thresholds": {
            "balanced": "a partir do limiar equilibrado",
            "cautious": "a partir do limiar cauteloso",
            "sensitive": "a partir do limiar sensível",
        },
        "threshold_from": "a partir de {percent}",
        "not_listening": "eu não escuto",
        "emoji": "o emoji é {emoji}",
        "alternative": " ou ",
        "flagged": "uma mensagem conta como tóxica {threshold}",
        "in_channel": "*Em <#{channel}>*, {how}.",
        "not_judged": "Não avalio as mensagens de {people}.",
        "press_again": "Demorou demais para o Slack. Agora já acordei: clique de novo.",
        "summary": "As configurações deste canal.",
        "open": "Abrir as configurações",
        "saved": "Salvo. Em <#{channel}>, {how}. {delay}",
        "only_admins": (
            "Aqui, só quem tem a função de admin ou de proprietário neste workspace pode mudar as "
            "configurações."
        ),
        "only_admins_and_creator": (
            "Aqui, só quem tem a função de admin ou de proprietário neste workspace pode mudar as "
            "configurações, além de <@{creator}>, que criou o canal."
        ),
    },
    "form": {
        "title": "Toxic Bot: configurações",
        "save": "Salvar",
        "cancel": "Cancelar",
        "only_here": "Só para <#{channel}>. {delay}",
        "listens": "Devo escutar neste canal?",
        "yes": "Sim",
        "no": "Não: nenhuma resposta",
        "reactions": "Emojis que pedem uma avaliação",
        "reactions_hint": "Nomes curtos, como skull, eyes. Se ficar vazio: {emoji}.",
        "answer": "Quem vê a avaliação?",
        "answer_hint": "Por padrão, {who_sees}.",
        "modes": {
            "thread": "O canal todo, na thread",
            "ephemeral": "Só quem pede",
            "nudge": "Só quem escreveu, se for tóxica",
        },
        "default_modes": {
            "thread": "Padrão (o canal todo, na thread)",
            "ephemeral": "Padrão (só quem pede)",
            "nudge": "Padrão (só quem escreveu, se for tóxica)",
        },
        "threshold": "A partir de que pontuação uma mensagem é tóxica?",
        "points": {
            "balanced": "Equilibrado: poucos alarmes falsos",
            "cautious": "Cauteloso: menos alarmes falsos",
            "sensitive": "Sensível: encontra mais",
        },
        "default_points": {
            "balanced": "Padrão (equilibrado)",
            "cautious": "Padrão (cauteloso)",
            "sensitive": "Padrão (sensível)",
        },
        "number": "Um número",
        "percent": "O número, em porcentagem",
        "percent_hint": "Quanto menor, mais mensagens contam como tóxicas.",
        "people": "Pessoas cujas mensagens não avalio",
        "errors": {
            "emoji_names": "Use nomes de emojis, como biohazard_sign, skull.",
            "too_many_emoji": "Use no máximo {most} emojis.",
            "number_not_chosen": "Escolha “Um número” acima ou deixe este campo vazio.",
            "not_a_percentage": "Digite um número inteiro de {least} a {most}.",
            "too_many_people": "Escolha no máximo {most} pessoas.",
        },
    },
    "home": {
        "title": "Esta mensagem é tóxica?",
        "purpose": (
            "Quando alguém me pede, digo se uma mensagem soa agressiva, ofensiva, ameaçadora, "
            "odiosa, obscena ou humilhante para uma pessoa ou um grupo."
        ),
        "where": "Onde estou",
        "today": "Hoje neste workspace",
        "method": "Como avalio",
        "method_text": (
            "Um pequeno modelo de linguagem nos servidores da sua empresa lê o texto e dá a ele "
            "uma pontuação. Ele lê inglês, alemão, francês, espanhol, português e italiano, não "
            "sabe nada sobre as pessoas envolvidas e pode errar. {stored}"
        ),
        "more_about": "<{url}|Mais sobre como avalio>.",
        "try_label": "Testar um texto",
        "try_button": "Isto é tóxico?",
        "places_unknown": "O Slack não me conta.",
        "no_places": "Ainda em nenhum canal. Me convide para um.",
        "place": "{channels}: {how}.",
        "more_places": "E mais {number}.",
        "nobody_asked": "Ninguém pediu ainda.",
        "counts": "Avaliadas: {judged}, das quais {toxic} com tom tóxico.",
        "stored": "Não guardo textos: leio uma mensagem quando alguém pede e depois esqueço.",
        "ask_reaction": "Reaja a uma mensagem com {emoji}: {who_sees}.",
        "ask_shortcut": "Escolha *Is this toxic?* no menu de uma mensagem: só você vê a resposta.",
        "ask_command": "Digite `{command}` e um texto antes de publicar: só você vê a resposta.",
        "hello": "Oi! Me pergunte se uma mensagem tem um tom tóxico.",
    },
    "moderators": {
        "note": "Uma mensagem em <#{channel}> tem um tom {toxic}.",
        "open_message": "Abrir a mensagem",
        "gone": "A mensagem já foi excluída",
        "seen_by": "Visto por <@{user}>",
        "title": "A semana em avaliações",
        "summary": "A semana em avaliações: {total}.",
        "nobody": "Ninguém pediu",
        "total_one": "{judged} mensagem avaliada, {toxic} com tom tóxico",
        "total": "{judged} mensagens avaliadas, {toxic} com tom tóxico",
        "week": "*{period}*\n{total}, {change}.",
        "as_many_as_before": "igual à semana anterior",
        "as_many": "igual",
        "than_before": "{change} que na semana anterior",
        "more": "▲ {number} a mais",
        "fewer": "▼ {number} a menos",
        "by_day": "Tóxicas, dia a dia",
        "by_channel": "Por canal",
        "by_kind": "Por tipo",
        "disputed": "As mais contestadas",
        "channel": "<#{channel}>: {toxic} de {judged} com tom tóxico ({change})",
        "more_channels": "outros canais: {number}",
        "kind": "{kind}: {number} ({change})",
        "kinds": {
            "insult": "insultos",
            "threat": "ameaças",
            "identity": "ataques a pessoas por serem quem são",
            "sexual": "assédio sexual",
            "obscene": "palavras obscenas",
            "putdown": "comentários depreciativos",
        },
        "dispute": (
            "<{link}|{verdict}, pontuação: {score}> em <#{channel}>: {wrong} contra, {right} a "
            "favor"
        ),
        "dispute_toxic": "tóxica",
        "dispute_fine": "não tóxica",
        "footnote": (
            "Avaliações pedidas por reação, por dia em UTC. Uma mensagem pode ser de vários tipos. "
            "Os votos e os números não contêm textos."
        ),
        "period": "De {first} a {last}",
        "day": "{day} de {month}",
        "months": (
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ),
    },
    "notices": {
        "switched_off": "Isto está desativado aqui.",
        "other_workspace": "Não respondo neste workspace.",
        "other_channel": "Não respondo neste canal.",
        "usage": (
            "Digite `{command}` e um texto que você vai publicar, por exemplo `{command} ótimo "
            "trabalho`. Só você vê a avaliação, e nada fica guardado. `{command} {settings}` muda "
            "como respondo neste canal."
        ),
        "too_long": "Posso avaliar até {most} caracteres por vez.",
    },
}
