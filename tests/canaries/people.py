"""Invented people with everything a customer may let slip, in tickets of six languages.

Every value is unique, so that finding it anywhere proves a leak, and made up: surnames are joined from parts, hosts end
in `.example`, numbers pass their checksums but belong to nobody we know of.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from faker import Faker

LOCALES = {"en": "en_GB", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT", "pt": "pt_PT"}
_FRONTS = (
    "Averh",
    "Brunnw",
    "Castelm",
    "Dornb",
    "Eschenl",
    "Fontan",
    "Grimald",
    "Hallstr",
    "Ibarr",
    "Kronst",
    "Montalv",
)
_MIDDLES = ("a", "e", "i", "o", "an", "el", "er", "in", "or", "um")
_ENDS = (
    "bach",
    "berg",
    "dahl",
    "etti",
    "feld",
    "gard",
    "hofen",
    "ini",
    "ling",
    "mann",
    "nez",
    "quist",
    "stein",
    "tano",
)
_LOWER = string.ascii_lowercase + string.digits


@dataclass(frozen=True, slots=True)
class Canary:
    """One value that must not be found; `value` is looked for without regard to case."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class CanaryTicket:
    """`name` and `email` are what the helpdesk itself knows of the requester."""

    ticket_id: str
    language: str
    subject: str
    body: str
    name: str
    email: str
    canaries: tuple[Canary, ...]


@dataclass
class Forge:
    """Makes values nobody has, the same ones for the same seed."""

    rng: random.Random
    fakers: dict[str, Faker] = field(default_factory=dict)
    surnames: set[str] = field(default_factory=set)

    def faker(self, language: str) -> Faker:
        if language not in self.fakers:
            self.fakers[language] = Faker(LOCALES[language])
            self.fakers[language].seed_instance(self.rng.random())
        return self.fakers[language]

    def surname(self) -> str:
        while True:
            made = "".join(self.rng.choice(parts) for parts in (_FRONTS, _MIDDLES, _ENDS, _ENDS))
            if made not in self.surnames:
                self.surnames.add(made)
                return made

    def code(self, length: int, alphabet: str = _LOWER) -> str:
        return "".join(self.rng.choices(alphabet, k=length))

    def host(self) -> str:
        return f"{self.code(7, string.ascii_lowercase)}.example"

    def password(self) -> str:
        return f"{self.code(5, string.ascii_letters)}-{self.code(4)}!{self.code(3, string.digits)}"


def tickets(count: int, seed: int = 6) -> Iterator[CanaryTicket]:
    """`count` tickets, the languages in turn."""
    forge = Forge(random.Random(seed))
    languages = list(LOCALES)
    for number in range(count):
        yield _ticket(f"C{number:05}", languages[number % len(languages)], forge)


def _ticket(ticket_id: str, language: str, forge: Forge) -> CanaryTicket:
    faker = forge.faker(language)
    first, surname = faker.first_name(), forge.surname()
    other_first, other = faker.first_name(), forge.surname()
    email = f"{_ascii(first)}.{surname.lower()}@{forge.host()}"
    told = {kind: make(forge, language, surname) for kind, make in _KINDS.items()}
    values = {
        "first": first,
        "surname": surname,
        "other": f"{other_first} {other}",
        "other_email": f"{other.lower()}.{forge.code(4)}@{forge.host()}",
        "email": email,
        **told,
    }
    canaries = [Canary("name", surname), Canary("name", other), Canary("email", values["other_email"])]
    canaries += [Canary("email", email), *(Canary(kind, value) for kind, value in told.items())]
    body = _BODIES[language].format(**values) + _TECHNICAL.format(**values) + _ENDINGS[language].format(**values)
    return CanaryTicket(
        ticket_id, language, _SUBJECTS[language].format(**values), body, f"{first} {surname}", email, tuple(canaries)
    )


def _ascii(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter in string.ascii_lowercase) or "x"


def _jwt(forge: Forge) -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": forge.code(10), "iat": forge.rng.randrange(10**9)}]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, forge.code(43, string.ascii_letters + string.digits)])


_Make = Callable[[Forge, str, str], str]
_KINDS: dict[str, _Make] = {
    "phone": lambda forge, language, _: forge.faker(language).unique.phone_number(),
    "iban": lambda forge, language, _: forge.faker(language).unique.iban(),
    "card": lambda forge, _, __: forge.faker("en").unique.credit_card_number("visa"),
    "street": lambda forge, language, _: forge.faker(language).unique.street_address().replace("\n", ", "),
    "birthday": lambda forge, _, __: (
        f"{forge.rng.randint(1, 28):02}.{forge.rng.randint(1, 12):02}.19{forge.rng.randint(40, 99)}"
    ),
    "passport": lambda forge, _, __: f"C{forge.code(8, string.digits)}",
    "ipv4": lambda forge, _, __: (
        f"10.{forge.rng.randint(16, 250)}.{forge.rng.randint(16, 250)}.{forge.rng.randint(16, 250)}"
    ),
    "ipv6": lambda forge, _, __: f"2001:db8:{forge.code(4, '123456789abcdef')}::{forge.code(4, '123456789abcdef')}",
    "mac": lambda forge, _, __: ":".join(forge.code(2, "0123456789abcdef") for _n in range(6)),
    "home": lambda forge, _, surname: f"{surname[:1].lower()}{forge.code(7, string.ascii_lowercase)}",
    "url_user": lambda forge, _, __: forge.code(9, string.ascii_lowercase),
    "password": lambda forge, _, __: forge.password(),
    "connection": lambda forge, _, __: forge.password().replace("!", "x"),
    "api_key": lambda forge, _, __: f"sk-proj-{forge.code(32, string.ascii_letters + string.digits)}",
    "access_key": lambda forge, _, __: f"AKIA{forge.code(16, string.ascii_uppercase + '234567')}",
    "token": lambda forge, _, __: f"ghp_{forge.code(36, string.ascii_letters + string.digits)}",
    "jwt": lambda forge, _, __: _jwt(forge),
    "cookie": lambda forge, _, __: forge.code(32, "0123456789abcdef"),
}

_SUBJECTS = {
    "en": "Cannot sign in ({surname})",
    "de": "Anmeldung klappt nicht ({surname})",
    "fr": "Connexion impossible ({surname})",
    "es": "No puedo entrar ({surname})",
    "it": "Accesso impossibile ({surname})",
    "pt": "Não consigo entrar ({surname})",
}

_BODIES = {
    "en": """Dear {other},

I forgot my password and cannot sign in. How can I reset it? My password was: {password}
You reach me under {phone} or {email}. I was born on {birthday}, my passport number is {passport}.
Please send the invoice to {street}. The account is {iban}, the card {card}.
""",
    "de": """Sehr geehrter Herr {other},

ich habe mein Passwort vergessen und kann mich nicht anmelden. Mein Passwort war: {password}
Sie erreichen mich unter {phone} oder {email}. Geboren am {birthday}, Reisepass Nr. {passport}.
Meine Adresse: {street}. Die IBAN ist {iban}, die Kreditkarte {card}.
""",
    "fr": """Bonjour {other},

j'ai oublié mon mot de passe et je ne peux plus me connecter. Mon mot de passe était : {password}
Vous pouvez me joindre au {phone} ou à {email}. Date de naissance : {birthday}, passeport n° {passport}.
Mon adresse : {street}. L'IBAN est {iban}, la carte {card}.
""",
    "es": """Estimado {other}:

He olvidado mi contraseña y no puedo entrar. Mi contraseña era: {password}
Mi teléfono es {phone} y mi correo {email}. Fecha de nacimiento: {birthday}, pasaporte nº {passport}.
Mi dirección: {street}. El IBAN es {iban}, la tarjeta {card}.
""",
    "it": """Gentile {other},

ho dimenticato la password e non riesco ad accedere. La mia password era: {password}
Il mio telefono è {phone}, la mia mail {email}. Data di nascita: {birthday}, passaporto n. {passport}.
Il mio indirizzo: {street}. L'IBAN è {iban}, la carta {card}.
""",
    "pt": """Caro {other},

esqueci a minha palavra-passe e não consigo entrar. A minha palavra-passe era: {password}
O meu telefone é {phone}, o meu e-mail {email}. Data de nascimento: {birthday}, passaporte n.º {passport}.
A minha morada: {street}. O IBAN é {iban}, o cartão {card}.
""",
}

_TECHNICAL = """
2026-11-30 09:14:03 ERROR login from {ipv4} ({ipv6}, {mac}) failed: code P2-1042
Traceback (most recent call last):
  File "/home/{home}/pipeline/reduce.py", line 42, in <module>
    session = login("https://portal.observatory.example/users/{url_user}/profile")
export OPENAI_API_KEY={api_key}
export AWS_ACCESS_KEY_ID={access_key}
git clone https://{token}@git.observatory.example/pipeline.git
DATABASE_URL=postgresql://observer:{connection}@db.observatory.example:5432/archive
Authorization: Bearer {jwt}
Cookie: sessionid={cookie}; theme=dark

"""

_ENDINGS = {
    "en": "Kind regards,\n{first} {surname}\n\nOn 28 Nov 2026, at 10:12, {other} <{other_email}> wrote:\n> Hello,\n",
    "de": "Viele Grüße\n{first} {surname}\n\nAm 28.11.2026 um 10:12 schrieb {other} <{other_email}>:\n> Hallo,\n",
    "fr": "Cordialement,\n{first} {surname}\n\nLe 28 nov. 2026 à 10:12, {other} <{other_email}> a écrit :\n> Bien,\n",
    "es": "Saludos,\n{first} {surname}\n\nEl 28 nov 2026, a las 10:12, {other} <{other_email}> escribió:\n> Hola:\n",
    "it": "Saluti\n{first} {surname}\n\nIl 28 nov 2026, alle 10:12, {other} <{other_email}> ha scritto:\n> Salve,\n",
    "pt": "Cumprimentos,\n{first} {surname}\n\nEm 28/11/2026 às 10:12, {other} <{other_email}> escreveu:\n> Olá,\n",
}
