"""Lists of words, all lower-case, that tell names, user names and passwords from everything else."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEVER_NAMES = listed(
    """
    lubuntu xubuntu kubuntu asus lenovo adblock ublock
    firefox thunderbird mozilla nightly windows linux ubuntu debian fedora macos android ios iphone ipad macbook
    chrome chromium safari vivaldi outlook mac google gmail facebook twitter youtube instagram whatsapp
    microsoft adobe flash amazon netflix yahoo avast kaspersky python javascript jupyter docker github gitlab
    excel teams zoom slack deskpro zendesk zammad lockwise roboform lastpass bitwarden noscript astroquery
    astropy topcat simbad vizier irsa skyview api url html css json xml csv pdf sql http https ssl tls dns vpn
    iban id pin login logout error warning debug info traceback oserror host valueerror phone tel fax email
    e-mail orcid proposal pipeline cookie cookies browser tab tabs bookmark bookmarks history button mode driver
    settings options restart address version update server client archive catalog catalogue extension
    """
)
"""Products, companies and words of the trade: what stands beside one of them is part of no name."""

ALSO_NAMES = listed(
    """
    tess alma gaia ned mast eso nasa esa jpl sdss ngc hubble kepler webb herschel planck chandra spitzer jwst
    hst euclid halley wise horizons sirius vega messier aladin besancon splatalogue heasarc vla vlt muse gemini
    keck subaru fits uves espresso apple norton java edge opera office word bing pocket sync captcha mail admin
    ip ra dec
    """
)
"""Missions, archives, catalogues and products that are also names of people: no name alone, but part of one."""

NOT_IN_NAMES = listed(
    """
    re fwd fw aw wg tr rv hii hiya
    hi hello hey dear thanks thank regards best cheers kind please sincerely good morning afternoon evening day
    all everyone everybody team support there sir madam colleagues folks guys friends community again world you
    help desk helpdesk service customer to whom it concern ladies gentlemen both yes no sehr geehrte geehrter
    damen herren hallo liebe lieber liebes guten tag moin morgen abend zusammen kollegen vielen dank danke mit
    freundlichen grüßen gruß grüße mein name ist benutzername telefonisch bitte das der die ich leute bonjour
    bonsoir salut madame monsieur messieurs mesdames cordialement merci tous toutes identifiant adresse
    téléphone oui avez équipe cher chère je le la hola buenos buenas días tardes estimado estimada estimados
    señores un saludo saludos gracias todos equipo sigue pruebe mi el usuario amigos buongiorno buonasera
    gentile gentili cordiali saluti grazie tutti utente stesso provi signori salve ciao caro cara olá oi bom boa
    dia tarde noite prezado prezada prezados obrigado obrigada cumprimentos senhores am pm mon tue wed thu fri
    sat sun monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december on in at from the and my any how what why when can same
    """
)
"""Greetings, closings, days and small words: a name neither starts nor ends with one of them."""

PAGES = listed(
    """
    login logout signin signup sign_in register registration password passwords reset settings preferences profile
    profiles edit new list search help guide guides manual docs documentation faq about index home start overview
    dashboard admin api view show create delete update verify confirm activate avatar avatars photo photos posts topics
    groups group members member users user accounts account info information data download downloads upload files
    index.html index.php login.html login.php latest stable current support contact questions sessions session
    notifications subscriptions billing security oauth callback
    """
)
"""What follows `/user/` in an address without being somebody."""

NO_LOGINS = listed("git hg svn none null str string int bool text value true false self name postgres mysql www nginx")
"""Accounts of services, and what stands beside `user=` in code."""

NOBODY = listed(
    """
    public default user username users root admin administrator shared guest runner ubuntu pi vagrant jovyan
    yourname name you me all localhost nobody www-data
    """
)
"""User names and folders that belong to nobody in particular."""

STATES = listed(
    """
    not wrong incorrect invalid correct right valid required unknown missing empty expired already taken still
    being never always also too very now no lost and or but for with has have was were will field does did can
    must reset protected saved stored shown visible hidden changed forgotten accepted rejected needed manager
    managers page form prompt box fails failed locked nicht falsch ungültig richtig korrekt abgelaufen unbekannt
    und oder wird mehr erforderlich vergessen pas incorrecte invalide faux oublié expiré requis incorrecta
    incorrecto caducado caducada olvidada requerida errata sbagliata scaduta non corretta incorreta inválida
    expirada esquecida the that this there what when where which how so because please only just same different
    case fine ok okay good working works saying right strong weak long short simple set used asked written sent
    gut lang kurz schwach stark bon bonne bueno buena buono buona bom boa
    """
)
"""What follows "my password is ..." without being one."""

ROLES = listed(
    """
    support team help helpdesk desk service services customer customers kunde info admin administrator system
    agent user users bot office sales mail mailer daemon noreply postmaster webmaster kundendienst kundenservice
    soporte assistance assistenza suporte equipe équipe equipo the and und von van der den del della dos prof
    mrs ing dipl phd msc jun sen anonymous guest unknown
    """
)
"""Words in the names of accounts that name no person."""

EVERYDAY = listed(
    """
    will may mark rose hope grace grant rich frank bill sue pat art page long young case field price king brown
    white black green gray grey bell best good day june april august read cook fox hill wood stone bug lang
    klein gross groß jung alt neu schnell weiß schwarz braun fuchs stark petit grand blanc noir roi bon claro
    rey bello rossi bianco forte post
    """
)
"""Names that are also words: found again only when capitalised."""

TITLES = listed(
    """
    mr mrs ms miss mx dr prof professor doctor sir herr herrn frau mme mlle madame monsieur sr sra srta senor senora sig
    signor signora dott dottssa dottoressa senhor senhora dona ing dipl phd msc jr sen
    """
)
"""What stands in front of names, without accents."""

PARTICLES = listed("de del della di da dos das do van von vom zu den der la le el al bin ibn af ter ten y e")
"""Small words inside names."""
