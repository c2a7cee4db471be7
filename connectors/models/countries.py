"""Names of countries, which Rampart does not label: English, and German, French, Spanish, Italian and Portuguese."""

from __future__ import annotations

import re

_NAMES = """
Afghanistan|Albania|Algeria|Andorra|Angola|Antigua and Barbuda|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahamas
|Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia and Herzegovina|Bosnia|Botswana|Brazil
|Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Cape Verde|Central African Republic|Chile|China|Colombia
|Comoros|Congo|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Czechia|Denmark|Djibouti|Dominican Republic|Ecuador|Egypt
|El Salvador|Equatorial Guinea|Eritrea|Estonia|Eswatini|Ethiopia|Faroe Islands|Fiji|Finland|France|French Guiana|Gabon
|Gambia|Germany|Ghana|Gibraltar|Greece|Greenland|Grenada|Guadeloupe|Guatemala|Guinea-Bissau|Guinea|Guyana|Haiti
|Honduras|Hong Kong|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Kazakhstan
|Kenya|Kiribati|Kosovo|Kuwait|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho|Liberia|Libya|Liechtenstein|Lithuania|Luxembourg
|Macau|Madagascar|Malawi|Malaysia|Maldives|Mali|Malta|Martinique|Mauritania|Mauritius|Mexico|Micronesia|Moldova|Monaco
|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nauru|Nepal|Netherlands|New Caledonia|New Zealand|Nicaragua
|Niger|Nigeria|North Korea|North Macedonia|Macedonia|Norway|Oman|Pakistan|Palau|Palestine|Panama|Papua New Guinea
|Paraguay|Peru|Philippines|Poland|Portugal|Puerto Rico|Qatar|Romania|Russia|Rwanda|Réunion|Saint Lucia|Samoa|San Marino
|Saudi Arabia|Senegal|Serbia|Seychelles|Sierra Leone|Singapore|Slovakia|Slovenia|Solomon Islands|Somalia|South Africa
|South Korea|South Sudan|Spain|Sri Lanka|Sudan|Suriname|Svalbard|Sweden|Switzerland|Syria|Taiwan|Tajikistan|Tanzania
|Thailand|Timor-Leste|Togo|Tonga|Trinidad and Tobago|Tunisia|Turkey|Turkmenistan|Tuvalu|Uganda|Ukraine
|United Arab Emirates|United Kingdom|Great Britain|United States of America|United States|Uruguay|Uzbekistan|Vanuatu
|Venezuela|Vietnam|Yemen|Zambia|Zimbabwe|England|Scotland|Wales|Northern Ireland
|Deutschland|Österreich|Schweiz|Frankreich|Italien|Spanien|Niederlande|Belgien|Luxemburg|Dänemark|Schweden|Norwegen
|Finnland|Polen|Tschechien|Ungarn|Griechenland|Türkei|Russland|Vereinigte Staaten|Großbritannien|Brasilien
|Allemagne|Autriche|Suisse|Espagne|Italie|Belgique|Pays-Bas|Royaume-Uni|États-Unis|Suède|Norvège|Danemark|Finlande
|Pologne|Hongrie|Grèce|Turquie|Russie|Brésil|Maroc|Algérie|Tunisie
|Alemania|España|Francia|Italia|Suiza|Bélgica|Países Bajos|Reino Unido|Estados Unidos|Suecia|Noruega|Dinamarca
|Finlandia|Polonia|Hungría|Grecia|Turquía|Rusia|Brasil|México|Perú|Panamá|Marruecos|Japón
|Germania|Spagna|Svizzera|Belgio|Paesi Bassi|Regno Unito|Stati Uniti|Svezia|Norvegia|Danimarca|Ungheria|Turchia|Brasile
|Alemanha|Espanha|França|Itália|Suíça|Países Baixos|Suécia|Polónia|Grécia|Rússia|Japão|Moçambique|Cabo Verde
"""

COUNTRY = re.compile(
    rf"(?<![\w./-])(?:{'|'.join(sorted((n.strip() for n in _NAMES.split('|')), key=len, reverse=True))})(?![\w/-])"
)
"""A capitalised country name as a whole word. Left out are those that more often mean something else: US, Chad,
Jordan, Georgia, Dominica."""
