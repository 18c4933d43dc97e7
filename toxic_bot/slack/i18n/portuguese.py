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
        "listed": "Contém palavras que sempre contam como tóxicas neste canal",
        "asked_by": "A pedido de <@{user}>",
        "about_reply": "Sobre a resposta das {time}",
        "as_edited": "Versão editada às {time}",
        "wrote_it": "É sua? Você pode editar; com uma nova reação, eu leio de novo.",
        "wrote_it_followed": "É sua? Você pode editar, e eu leio de novo.",
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
        "on_always": "Sempre conta como tóxico neste canal: {words}",
        "on_never": "Ignorado neste canal: {words}",
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
            "Obrigado! Para você, esta avaliação está certa. Guardo seu voto, mas nenhum texto."
        ),
        "thanks_wrong": (
            "Obrigado! Para você, esta avaliação está errada. Guardo seu voto, mas nenhum texto."
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
                "Você atingiu o limite de visitas a esta aba por hora ({limit}). Volto a "
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
        "lists": "algumas palavras sempre contam como tóxicas ou são ignoradas",
        "urgent": "aviso sobre mensagens urgentes em <#{channel}>",
        "invite_urgent": (
            "Não estou em <#{channel}>: me convide, ou ninguém ficará sabendo das mensagens "
            "urgentes."
        ),
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
        "watched": {
            "nudge": (
                "eu leio todas as mensagens e aviso em particular quem escreve uma com tom tóxico"
            ),
            "note": "eu leio todas as mensagens e aviso a moderação se alguma tiver tom tóxico",
            "thread": "eu leio todas as mensagens e respondo na thread se alguma tiver tom tóxico",
        },
        "quiet": "(exceto das {start} às {end} {zone})",
        "watch_on": (
            "<@{user}> ativou o monitoramento neste canal. A partir de agora, {how}. Não guardo "
            "nenhum texto. Quem pode mudar as configurações pode desativar com `/toxic settings`."
        ),
        "watch_off": (
            "<@{user}> desativou o monitoramento neste canal. Aqui, só leio uma mensagem quando "
            "alguém pergunta."
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
            "cautious": "Cauteloso: o mínimo de alarmes falsos",
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
        "watch": "Eu leio todas as mensagens aqui?",
        "watch_hint": (
            "O canal é avisado quando isso é ativado ou desativado. Não guardo nenhum texto."
        ),
        "watch_choices": {
            "off": "Não, só quando alguém pergunta",
            "nudge": "Sim, com aviso particular a quem escreve",
            "note": "Sim, com aviso à moderação",
            "thread": "Sim, com resposta na thread",
        },
        "watch_percent": "Se eu ler todas: a partir de que pontuação, em porcentagem?",
        "watch_percent_hint": "Se ficar vazio, vale o limiar acima.",
        "quiet": "Se eu ler todas: horas de silêncio",
        "quiet_hint": (
            "Hora de início e de fim, como 18-8. Nesse intervalo, só leio uma mensagem se alguém "
            "me pedir."
        ),
        "zone": "Fuso horário das horas de silêncio",
        "zone_hint": (
            "Como America/Sao_Paulo, ou simplesmente uma cidade, em inglês. Se ficar vazio, UTC."
        ),
        "urgent": "Mensagens urgentes: que canal aviso na hora?",
        "urgent_hint": (
            "Ameaças, assédio sexual e sinais de automutilação. Se ficar vazio, como no workspace "
            "todo."
        ),
        "urgent_people": "Mensagens urgentes: quem menciono ali?",
        "always": "Palavras e expressões que sempre contam como tóxicas",
        "always_hint": (
            "Uma por linha. Uma mensagem que contém alguma delas é tóxica. Só palavras inteiras; * "
            "vale por quaisquer letras: spam*."
        ),
        "never": "Palavras e expressões que eu ignoro",
        "never_hint": (
            "Eu as deixo de fora e avalio o resto da mensagem. Esta lista tem prioridade."
        ),
        "sample": "Testar as listas com um texto",
        "sample_hint": (
            "Se houver um texto aqui, “Salvar” só mostra o efeito das listas. Deixe este campo "
            "vazio para salvar."
        ),
        "tried_always": (
            "Sempre conta como tóxico: {words}. Então o texto é tóxico, não importa o resto."
        ),
        "tried_never": "Ignorado: {words}.",
        "tried_rest": "Eu avaliaria o resto: {rest}",
        "tried_nothing": "O texto não contém nenhuma dessas palavras. Eu o avaliaria como está.",
        "not_saved_yet": "Nada foi salvo ainda. Para salvar, clique em “Salvar” de novo.",
        "errors": {
            "emoji_names": "Use nomes de emojis, como biohazard_sign, skull.",
            "too_many_emoji": "Use no máximo {most} emojis.",
            "number_not_chosen": "Escolha “Um número” acima ou deixe este campo vazio.",
            "not_a_percentage": "Digite um número inteiro de {least} a {most}.",
            "too_many_people": "Escolha no máximo {most} pessoas.",
            "no_urgent_channel": "Escolha também um canal para as mensagens urgentes.",
            "not_hours": "Informe duas horas de 0 a {most}, como 18-8.",
            "not_a_zone": "Informe um fuso horário como America/Sao_Paulo ou Europe/Lisbon.",
            "too_many_words": "Use no máximo {most} palavras e expressões.",
            "word_too_long": "“{word}” é longo demais: use no máximo {most} caracteres.",
            "word_too_general": "“{word}” serviria para quase tudo: use mais letras.",
            "on_both_lists": "“{word}” está nas duas listas: escolha uma.",
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
        "stored": (
            "Não guardo nenhum texto: leio uma mensagem quando alguém pergunta ou quando monitoro "
            "o canal, e depois esqueço."
        ),
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
        "first_of_month": "1º",
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
    "case": {
        "open": "Em aberto",
        "taken": "Com <@{user}>",
        "closed": "Encerrado: {outcome}",
        "outcomes": {
            "fine": "nenhum problema encontrado",
            "talked_to": "conversa com a pessoa",
            "removed": "mensagem removida",
            "escalated": "encaminhado a outra instância",
        },
        "repeated": "Mensagens desta pessoa que viraram casos nos últimos {days} dias: {number}",
        "buttons": {
            "take": "Assumir",
            "hand_back": "Devolver",
            "close": "Encerrar",
            "reopen": "Reabrir",
            "write": "Escrever à pessoa",
            "ask_edit": "Pedir uma edição",
            "flag": "Sinalizar na thread",
            "remove": "Remover",
        },
        "trail": {
            "take": "<@{user}> assumiu o caso",
            "hand_back": "<@{user}> devolveu o caso",
            "close": "<@{user}> encerrou o caso: {outcome}",
            "reopen": "<@{user}> reabriu o caso",
            "write": "<@{user}> escreveu à pessoa",
            "ask_edit": "<@{user}> pediu uma edição",
            "flag": "<@{user}> sinalizou a mensagem na thread",
            "remove": "<@{user}> removeu a mensagem",
        },
        "without_response": "o Slack não confirmou",
        "refused": "recusado pelo Slack: {error}",
        "asks": {
            "close": "Todos neste canal veem como o caso termina.",
            "write": (
                "Envio isto a <@{user}> como mensagem privada em nome da moderação, sem o seu "
                "nome. Não guardo nenhuma cópia."
            ),
            "ask_edit": (
                "Envio isto a <@{user}> como mensagem privada com um link para a mensagem, sem o "
                "seu nome. Não guardo nenhuma cópia."
            ),
            "flag": (
                "Respondo na thread da mensagem que a moderação a sinalizou. Todos podem ver isso "
                "ali. A mensagem fica."
            ),
            "remove": (
                "Tento excluir a mensagem para todos. O Slack só me deixa excluir o que eu mesmo "
                "publiquei; se ele recusar, eu aviso você."
            ),
        },
        "outcome": "Como termina?",
        "letter_label": "Sua mensagem",
        "letter": (
            "Olá! Uma das suas mensagens chegou à moderação. Por favor, mantenha o respeito em "
            "nossas conversas."
        ),
        "edit_letter": (
            "Olá! Uma das suas mensagens pode magoar alguém. Por favor, edite ou exclua a mensagem."
        ),
        "empty_letter": "Escreva algo primeiro.",
        "from_moderators": "Da moderação. Ninguém lê respostas aqui.",
        "from_moderators_about": (
            "Da moderação, sobre a <{link}|sua mensagem>. Ninguém lê respostas aqui."
        ),
        "flagged": "A moderação sinalizou esta mensagem.",
        "told": {
            "write": "Sua mensagem foi enviada.",
            "ask_edit": "O pedido de edição foi enviado.",
            "flag": "A mensagem está sinalizada na thread.",
            "remove": "A mensagem foi removida.",
        },
        "told_unknown": (
            "O Slack não confirmou. Não tento de novo, para que não aconteça duas vezes: confira, "
            "por favor."
        ),
        "told_refused": "O Slack recusou: {error}.",
        "told_cannot_remove": (
            "O Slack só me deixa excluir minhas próprias mensagens. Esta pode ser excluída por "
            "quem a escreveu, ou por um admin se o seu workspace permitir: abra-a e escolha "
            "*Excluir mensagem*."
        ),
        "told_no_messages_tab": (
            "O Slack recusou porque minha aba “Mensagens” está desativada. Um admin pode ativá-la "
            "nas configurações do app, em *App Home*."
        ),
        "told_out_of_reach": (
            "Não tenho acesso à mensagem, porque não estou nesse canal. Me convide primeiro."
        ),
        "told_gone": "A mensagem já foi excluída.",
        "taken_before": "<@{user}> já assumiu este caso.",
        "closed_before": "<@{user}> já encerrou este caso: {outcome}.",
        "not_possible": "Isso não é possível neste caso.",
        "not_allowed": (
            "Só membros do canal da moderação que pertencem a este workspace podem fazer isso."
        ),
        "not_kept": "Este caso não existe mais.",
        "home_title": "Casos ainda não encerrados: {number}",
        "home_more": "Outros: {number}.",
    },
    "report": {
        "title": "Avisar a moderação",
        "send": "Enviar",
        "cancel": "Cancelar",
        "close": "Fechar",
        "intro": (
            "A moderação recebe um link para esta mensagem, o que você escrever abaixo e como um "
            "modelo de linguagem a lê. O texto em si não é repassado."
        ),
        "reason": "Do que se trata?",
        "reasons": {
            "threat": "Uma ameaça",
            "sexual": "Assédio sexual",
            "self_harm": "Automutilação ou suicídio",
            "identity": "Um ataque a pessoas por serem quem são",
            "insult": "Um insulto ou bullying",
            "other": "Outra coisa",
        },
        "word": "O que a moderação deve saber?",
        "word_hint": "Com suas palavras. Ela não vê o que foi escrito em uma mensagem direta.",
        "name": "Ela deve saber quem você é?",
        "stay_anonymous": "Não, avisar de forma anônima",
        "be_named": "Sim, para que possa me escrever",
        "thanks": "Obrigado. Seu aviso está a caminho da moderação.",
        "nobody": "Não há a quem avisar: nenhum canal de moderação está configurado para mim.",
        "too_late": (
            "Isso demorou demais para o Slack. Agora estou acordado: escolha de novo, por favor."
        ),
        "headline": "Aviso: {reason}",
        "in_channel": "Em <#{channel}>",
        "in_direct_message": "Em uma mensagem direta",
        "author": "escrita por <@{user}>",
        "named": "Aviso de <@{user}>",
        "anonymous": "Aviso anônimo",
        "case_in": "O caso está em <#{channel}>",
        "reads_as_toxic": "Para mim, tem um tom {toxic}, {score}",
        "reads_as_fine": "Para mim, não tem um tom tóxico, {score}",
        "not_judged": "Não consegui avaliar",
    },
    "care": {
        "summary": "Você não precisa passar por isso sem apoio.",
        "help": (
            "Você não precisa passar por isso sem apoio. Se você pensa em se machucar, por favor, "
            "fale com alguém agora. Em <https://findahelpline.com|findahelpline.com> há linhas de "
            "apoio gratuitas e sigilosas, organizadas por país. Em caso de perigo imediato, ligue "
            "para o número de emergência local."
        ),
        "told": "Só você vê isto; quem cuida dessas mensagens aqui sabe da sua",
        "asker": (
            "Não avalio esta mensagem: talvez quem a escreveu esteja passando por um momento "
            "difícil. Você pode perguntar como essa pessoa está. Em "
            "<https://findahelpline.com|findahelpline.com> há linhas de apoio, organizadas por "
            "país. Em caso de perigo imediato, ligue para o número de emergência local."
        ),
        "in_need": (
            "Talvez quem escreveu uma mensagem em <#{channel}> precise de ajuda. Mostrei linhas de "
            "apoio a essa pessoa em particular."
        ),
        "also_reads": "Também tem um tom {toxic}.",
        "please_look": "{people}: isto precisa de atenção agora.",
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
