import pytest

from core.redaction.lists import read_lists
from core.redaction.patterns import PatternRecognizer, find_patterns


def found(text: str) -> list[tuple[str, str]]:
    """(kind, value) in text order, each value once."""
    entities = sorted(find_patterns(text), key=lambda e: (e.span.start, -len(e.span)))
    return list(dict.fromkeys((e.kind, text[e.span.slice]) for e in entities))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("EMAIL_ADDRESS", "o.brien+x@mail.example.co.uk", "write to o.brien+x@mail.example.co.uk."),
        ("EMAIL_ADDRESS", "jürgen@exämple.org", "<jürgen@exämple.org>"),
        ("EMAIL_ADDRESS", "ana [at] example [dot] org", "or ana [at] example [dot] org"),
        ("IP_ADDRESS", "192.168.7.21", "ping 192.168.7.21."),
        ("IP_ADDRESS", "222.31.10.38", "der Server 222.31.10.38 antwortet nicht"),
        ("IP_ADDRESS", "48.90.248.226", "client address 48.90.248.226"),
        ("IP_ADDRESS", "203.0.113.7", "java.net.Socket: host/203.0.113.7"),
        ("IP_ADDRESS", "10.1.2.3", "http://10.1.2.3:8080/x"),
        ("IP_ADDRESS", "2600:1415:1c00::17c0:6c92", "to 2600:1415:1c00::17c0:6c92 port 80"),
        ("IP_ADDRESS", "fe80::1", "at fe80::1, then"),
        ("MAC_ADDRESS", "00:1A:2b:3C:4d:5E", "card 00:1A:2b:3C:4d:5E"),
        ("IBAN_CODE", "DE89 3704 0044 0532 0130 00", "IBAN DE89 3704 0044 0532 0130 00 THANKS"),
        ("IBAN_CODE", "gb29nwbk60161331926819", "gb29nwbk60161331926819"),
        ("CREDIT_CARD", "4111 1111 1111 1111", "paid with 4111 1111 1111 1111"),
        ("CREDIT_CARD", "378282246310005", "paid with 378282246310005"),
        ("CREDIT_CARD", "676222165679", "my card 676222165679"),
        ("ORCID", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
        ("US_SSN", "536-22-1867", "SSN 536-22-1867"),
        ("ORDER_NUMBER", "AB-2024-00917", "order number AB-2024-00917"),
        ("ORDER_NUMBER", "7781234", "Kundennummer: 7781234"),
        ("USERNAME", "gill42", "My user name is gill42, the"),
        ("USERNAME", "etzold49", "Benutzername etzold49, hinterlegte"),
        ("USERNAME", "descamps47", "Identifiant : descamps47"),
        ("USERNAME", "bada88", "Mi usuario es bada88"),
        ("USERNAME", "sinisi31", "Utente sinisi31"),
        ("USERNAME", "jsmith", "username: jsmith"),
        ("USERNAME", "fuller81", "ERROR auth: login failed for fuller81 from x"),
        ("USERNAME", "Maria Lopez", r"C:\Users\Maria Lopez\AppData\x.log"),
        ("USERNAME", "mlopez", "C:\\\\Users\\\\mlopez\\\\x"),
        ("USERNAME", "hendrix22", 'File "/home/hendrix22/run.py", line 8'),
        ("USERNAME", "carla", "/Users/carla/Library"),
        ("USERNAME", "ana", "ana@myhost:~/work$ ls"),
        ("USERNAME", "abell", "https://www.example.edu/~abell/page.html"),
        ("PASSWORD", "Tr0ub4dor&3", "my password is Tr0ub4dor&3."),
        ("PASSWORD", "hunter", "my password is hunter"),
        ("PASSWORD", "Sommer2024!", "Das Passwort lautet: Sommer2024!"),
        ("PASSWORD", "Blume77", "mein Kennwort ist Blume77"),
        ("PASSWORD", "soleil12", "mon mot de passe est soleil12"),
        ("PASSWORD", "girasol#9", "la contraseña es girasol#9"),
        ("PASSWORD", "pwd123", 'PASSWORD="pwd123"'),
        ("PASSWORD", "geheim", "pw: geheim"),
        ("PASSWORD", "s3cr3t", "Server=db;Uid=app;Pwd=s3cr3t;"),
        ("SECRET", "sk-proj-abcDEF1234567890abcd", "key sk-proj-abcDEF1234567890abcd"),
        ("SECRET", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("SECRET", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("SECRET", "glpat-x7Yz12345678901234", "glpat-x7Yz12345678901234"),
        ("SECRET", "xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef"),
        ("SECRET", "app:pa55", "postgres://app:pa55@db.example.org/main"),
        ("SECRET", "mF_9.B5f-4.1JqM", "Authorization: Bearer mF_9.B5f-4.1JqM"),
        ("SECRET", "wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG"),
        ("SECRET", "9f86d081884c7d65", 'api_key: "9f86d081884c7d65"'),
        ("SECRET", "482913", "The verification code is 482913."),
        ("SECRET", "SID=31d4d96e; lang=en", "Cookie: SID=31d4d96e; lang=en"),
    ],
)
def test_it_is_found_whole(kind: str, value: str, text: str) -> None:
    assert (kind, value) in found(text)


@pytest.mark.parametrize(
    "number",
    [
        *("+49 30 5550 0199", "+49(0)5262871876", "+33 5 24 76 89 95", "+33 (0)6 30 73 19 75", "+34949 21 11 50"),
        *("+39 3231025946", "001-603-961-8464x1744", "(960)716-3165x4792", "842.308.2359x045", "303-296-0335"),
        *("+1-254-409-1114x058", "02 58 64 41 15", "(09294) 603464", "06687 333067", "+44 20 7946 0958", "030/1234567"),
    ],
)
def test_a_telephone_number_is_found_whole_in_a_sentence(number: str) -> None:
    assert ("PHONE_NUMBER", number) in found(f"You reach me at {number}, please. 2 days later")


@pytest.mark.parametrize("text", ["phone 7912308860", "erreichen Sie mich unter 05197202588", "tel: 555-0199"])
def test_a_bare_number_is_a_telephone_number_after_a_word_that_says_so(text: str) -> None:
    assert [kind for kind, _ in found(text)] == ["PHONE_NUMBER"]


def test_a_number_followed_by_a_date_does_not_take_the_date() -> None:
    assert found("+49 30 5550 0199 2024-05-03") == [("PHONE_NUMBER", "+49 30 5550 0199")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("John", "Hi John,\nit fails"),
        ("john", "hi john, it fails"),
        ("Katja", "Dear Katja,\n"),
        ("Weber", "Sehr geehrte Frau Dr. Weber,\n"),
        ("Jürgen", "Lieber Jürgen,\n"),
        ("Moreau", "Bonjour Madame Moreau,\n"),
        ("Lope", "Hola Lope:\n"),
        ("Sandro", "Gentile Sandro,\n"),
        ("Rui", "Olá Rui,\n"),
        ("Maria Lopez", "It fails.\n\nKind regards,\nMaria Lopez"),
        ("Priya Raghunathan", "> Thanks,\n> Priya Raghunathan\n> Support"),
        ("john", "thanks\njohn"),
        ("Colleen", "Cheers, Colleen"),
        ("Dorota Etzold", "Mit freundlichen Grüßen\nDorota Etzold"),
        ("Rui Melo", "Atenciosamente,\nRui Melo"),
        ("Jonas Novak", "-- \nJonas Novak\nExample Street 3"),
        ("Erdal Oderwald", "Das hat nicht geholfen.\n\nErdal Oderwald\nWirth"),
        ("Daniel Gill", "my name is Daniel Gill and I cannot"),
        ("daniel gill", "my name is daniel gill, I cannot"),
        ("Hortense Descamps", "je m'appelle Hortense Descamps et"),
        ("Teodosio Badía", "me llamo Teodosio Badía y no"),
        ("Ludwig van der Berg", "I am Ludwig van der Berg from"),
        ("Gundolf Oderwald", "Am 12.03.2024 um 08:41 schrieb Gundolf Oderwald <g@example.org>:"),
        ("Manon Moreau", "Le lun. 4 mars 2024 à 10:02, Manon Moreau <m@example.org> a écrit :"),
        ("Ana Bell", "On Mon, 3 Jun 2024 at 9:14 AM Ana Bell wrote:"),
        ("Lopez", "ask Dr. Lopez about"),
        ("Wisława Szczepańska", "Name: Wisława Szczepańska"),
        ("Łukasz Żak", "From: Łukasz Żak <l@example.org>"),
    ],
)
def test_a_name_is_found_where_mails_put_names(name: str, text: str) -> None:
    assert ("PERSON", name) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Firefox 128.0.3.1 and version 10.0.22.1, driver 31.0.15.4601, Chrome/128.0.6613.120",
        "Set 300.5 s for the R400 grating in version 3.14.2? Page 112, table 7.4, 10.1.2024, 11/2023, 0x80070005",
        "The remote session to 127.0.0.1:5900 with mask 255.255.255.0 drops after 30 s",
        "RA 02:42:40.7 Dec -00:00:47.9, or 02 42 40.77 +41 16 09.43, or 10.68458 +41.26917; NGC 1068, 112.25XY.001",
        "bp-df7992e2-0618-4337-ab58-c348b0190908 08/09/2019, 21:35 be31-bdcaace20a99 sha256 9f27d249aa01bb02",
        "2024-05-03 10:22:41,118 ERROR io: code 401, TIC 261136679, Gaia DR3 4472832130942575872, 1575661163663",
        "Error code: NS_ERROR_DOM_MEDIA_FATAL_ERR (0x806e0005) std::vector<int> mozilla::MediaResult dead::beef",
        "https://support.mozilla.org/en-US/questions/1268014 and /home/user/x and C:\\Users\\Public\\x",
        "My password is wrong. The password was not accepted; passwords: saved. password is expired",
        "The user name is required and the login page fails. Mein Passwort ist falsch, le mot de passe est incorrect",
        "I am trying Firefox. This is Windows Update. Hello again, thanks all, hi there, Dear Support Team,",
        "Thanks,\nMozilla Support\n\nHello world!\nHallo zusammen,\nBonjour à tous,\nHola:\n",
        "basic authentication, token response, cookies: off, order number missing, invoice no. 12",
        "git clone git@github.com:astropy/astroquery.git && pip install numpy==2.0.1",
        "Skype: 1 000 000 rows, 123 456 789 bytes, +1000000, 2024-05-03, 1e+10000000, ISBN 0-306-40615-2",
    ],
)
def test_technical_text_survives(text: str) -> None:
    assert found(text) == []


def test_every_entity_says_which_pattern_found_it() -> None:
    (entity,) = PatternRecognizer().recognize("a@example.org")
    assert entity.reason == "pattern:email"


def test_allowed_names_are_left_in_greetings() -> None:
    assert PatternRecognizer(lists=read_lists("Nova")).recognize("Hi Nova,") == []


def test_private_key_blocks_go_whole_even_when_cut_off() -> None:
    body = "MIIEpAIBAAKCAQEA75fakefakefakefake\n" * 3
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----"
    assert found(f"see\n{block}\nthanks") == [("SECRET", block)]
    assert found(f"see\n-----BEGIN PRIVATE KEY-----\n{body}")[0][1].endswith("fakefake")


@pytest.mark.parametrize("piece", ["A", "1", " ", "a@", "(0", "Aa ", "+1 ", "password is ", "cookie: a=b; ", "/home/"])
def test_long_awkward_texts_take_no_quadratic_time(piece: str) -> None:
    find_patterns(piece * 4000)
