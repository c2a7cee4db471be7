"""The words mail programs put around the mails they repeat, in the languages they are sold in. All case-folded."""

from __future__ import annotations

from collections.abc import Mapping

_HEADERS = {
    "from": "from von de da van od från fra lähettäjä feladó от від από kimden 差出人 寄件者 发件人 보낸사람 보낸 "
    "de-la expéditeur remitente mittente remetente absender afzender nadawca avsändare afsender avsender odesílatel",
    "sent": "sent date gesendet datum envoyé envoye enviado enviada inviato inviata data fecha verzonden "
    "wysłano wysłane wysłany skickat sendt odesláno lähetetty elküldve dato päivämäärä dátum дата "
    "отправлено відправлено ημερομηνία tarih gönderilen 送信日時 日付 日時 送信済み 发送时间 日期 傳送時間 날짜 "
    "보낸날짜 trimis enviat päiväys date/time",
    "to": "to an à a para aan do till til vastaanottaja címzett кому προς kime 宛先 收件人 收件者 받는사람 komu "
    "către "
    "destinataire destinatario destinatário empfänger odbiorca",
    "cc": "cc kopie copie copia cópia dw kopia kopi kopio másolatot копия копія κοιν bilgi 抄送 副本 참조 bcc udw",
    "subject": "subject betreff objet asunto oggetto assunto onderwerp temat ämne emne předmět vec aihe tárgy тема "
    "θέμα konu 件名 主题 主旨 제목 subiect sujet assumpte titel",
    "attachments": "attachments attachment anlagen anlage anhänge pièces-jointes adjuntos datos-adjuntos "
    "allegati anexos bijlagen załączniki bilagor přílohy 添付ファイル",
    "other": "importance priority wichtigkeit priorität importance reply-to antwort-an categories organization firma",
}
HEADER_ROLES: Mapping[str, str] = {
    word.replace("-", " ") if role != "other" else word: role
    for role, words in _HEADERS.items()
    for word in words.split()
}
"""What a header line's word stands for: from, sent, to, cc, subject, attachments or other."""

RAW_HEADERS = frozenset(
    [
        "received",
        "message-id",
        "mime-version",
        "dkim-signature",
        "return-path",
        "content-type",
        "content-transfer-encoding",
        "delivered-to",
        "authentication-results",
        "x-mailer",
        "user-agent",
        "in-reply-to",
        "references",
        "arc-seal",
        "x-originating-ip",
    ]
)
"""Headers that no mail program repeats above a quote: a block with one of them was pasted to ask about it."""

ORIGINAL = (
    "original message",
    "original appointment",
    "original-nachricht",
    "originalnachricht",
    "ursprüngliche nachricht",
    "ursprüngliche mail",
    "message d'origine",
    "message d’origine",
    "message original",
    "mensaje original",
    "messaggio originale",
    "messaggio original",
    "mensagem original",
    "oorspronkelijk bericht",
    "origineel bericht",
    "oryginalna wiadomość",
    "wiadomość oryginalna",
    "ursprungligt meddelande",
    "originalmeddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "původní zpráva",
    "původní e-mail",
    "alkuperäinen viesti",
    "eredeti üzenet",
    "исходное сообщение",
    "元のメッセージ",
    "original nachricht",
    "原始邮件",
    "원본 메시지",
    "mesaj original",
    "özgün ileti",
    "αρχικό μήνυμα",
)
FORWARDED = (
    "forwarded message",
    "forwarded by",
    "forwarded mail",
    "begin forwarded message",
    "weitergeleitete nachricht",
    "weitergeleitet von",
    "anfang der weitergeleiteten",
    "message transféré",
    "début du message réexpédié",
    "début du message transféré",
    "transféré par",
    "mensaje reenviado",
    "inicio del mensaje reenviado",
    "reenviado por",
    "messaggio inoltrato",
    "inizio messaggio inoltrato",
    "inoltrato da",
    "mensagem encaminhada",
    "mensagem reencaminhada",
    "início da mensagem",
    "encaminhado por",
    "doorgestuurd bericht",
    "begin doorgestuurd bericht",
    "przekazana wiadomość",
    "wiadomość przekazana",
    "treść przekazanej wiadomości",
    "początek przekazanej wiadomości",
    "początek przekazywanej wiadomości",
    "vidarebefordrat meddelande",
    "vidarebefordrat brev",
    "videresendt meddelelse",
    "videresendt melding",
    "videresendt besked",
    "přeposlaná zpráva",
    "začátek přeposílané zprávy",
    "edelleen lähetetty",
    "továbbított üzenet",
    "пересылаемое сообщение",
    "переслане повідомлення",
    "転送されたメッセージ",
    "転送メッセージ",
    "轉寄的郵件",
    "转发的邮件",
    "전달된 메시지",
    "mesaj redirecționat",
    "iletilen mesaj",
    "προωθημένο μήνυμα",
)
FORWARDING_SUBJECTS = ("fw:", "fwd:", "wg:", "tr:", "rv:", "i:", "enc:", "pd:", "vs:", "vb:", "doorst:", "fs:", "転送:")
"""How a subject starts when the mail passes another one on."""

WROTE = (
    r"wrote|writes|napisana|schrieb|(?:folgendes )?geschrieben|schreibt|a écrit|écrit|escribió|escribio|ha scritto"
    r"|scrive"
    r"|escreveu|va escriure|schreef|(?:het volgende )?geschreven|napisał/a|napisał\(?a?\)?|napisała|pisze|skrev"
    r"|skriver"
    r"|napsal/a|napsal\(?a?\)?|napsala|píše|kirjoitti|ezt írta|írta|написал\(?а?\)?|написала|пишет|пише|написав|yazdı"
    r"|a scris|έγραψε"
)
"""Alternatives for "wrote", to be matched without regard to case."""

OPENERS = (
    r"on|am|le|el|il|em|na|no dia|a|op|den|w dniu|dne|dnia|în|pe|στις|wiadomość napisana|od"
    r"|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim"
    r"|pon|wt|śr|czw|pt|sob|niedz|po|út|st|čt|pá|so|ne|пн|вт|ср|чт|пт|сб|вс"
)
"""Words that an attribution starts with when it starts with its date."""
