"""Leagues, teams and players by all the names that pages and venues give them. Pure.

Teams and players come from `relations.teams` and from the entity lists of the factor base; what
is written here is only what news calls them besides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from augury.relations import knowledge
from augury.relations.teams import TEAMS, team
from augury.remembered import remembered
from augury.search.text import fold, is_number, terms

# Leagues. A line is the league, and how pages, tickers and slugs name it.

_LEAGUES: Final = {
    "nba": r"nba|kxnba\w*|national basketball association",
    "wnba": r"wnba|kxwnba\w*",
    "nfl": r"nfl|kxnfl\w*|super bowl|superbowl|afc championship|nfc championship",
    "mlb": r"mlb|kxmlb\w*|world series|major league baseball|al east|nl east|al west|nl west",
    "nhl": r"nhl|kxnhl\w*|stanley cup",
    "ncaab": r"ncaab|cbb|ncaam|kxncaa(?:mb|b)\w*|college basketball|march madness|final four",
    "ncaaf": r"ncaaf|cfb|kxncaaf\w*|college football|heisman",
    "epl": r"epl|premier league|kxepl\w*|fa cup|carabao cup|efl",
    "ucl": r"ucl|champions league|kxucl\w*",
    "uel": r"uel|europa league|kxuel\w*|conference league",
    "laliga": r"la ?liga|kxlaliga\w*|copa del rey",
    "seriea": r"serie a|kxseriea\w*|coppa italia",
    "bundesliga": r"bundesliga|kxbundesliga\w*|dfb[- ]pokal",
    "ligue1": r"ligue 1|kxligue1\w*",
    "mls": r"mls|kxmls\w*|leagues cup",
    "football": r"world cup|euro 20\d\d|copa america|nations league|fifa|uefa|libertadores|"
    r"eredivisie|liga mx|saudi pro league|a-league|ballon d'?or|soccer",
    "atp": r"atp|kxatp\w*",
    "wta": r"wta|kxwta\w*",
    "tennis": r"wimbledon|roland garros|french open|us open tennis|australian open|tennis|itf",
    "ufc": r"ufc|kxufc\w*|mma",
    "boxing": r"boxing|heavyweight title|welterweight|middleweight",
    "f1": r"f1|formula (?:1|one)|kxf1\w*|grand prix|motogp|indycar|nascar|daytona 500",
    "golf": r"pga|liv golf|ryder cup|the masters|golf|open championship",
    "cricket": r"cricket|ipl|psl|t20i?|odi|test match|the ashes|big bash|indian premier league|"
    r"pakistan super league",
    "rugby": r"rugby|six nations|nrl|super rugby",
    "esports": r"esports?|lol|league of legends|dota ?2|cs2|counter-strike|csgo|valorant|"
    r"call of duty|overwatch|rainbow six|mobile legends|rocket league|starcraft|lck|lpl|lec|lcs|"
    r"vct|blast premier|iem",
    "olympics": r"olympics?|olympic games|paralympics",
    "other": r"darts|snooker|chess|fide|cycling|tour de france|giro d'italia|vuelta|curling|"
    r"volleyball|handball|table tennis|badminton|khl|nll|lacrosse|afl|wrestlemania|wwe|"
    r"tour de suisse|marathon|athletics championships|ski world cup|biathlon|swimming|horse "
    r"racing|kentucky derby|preakness|belmont stakes",
}  # fmt: skip
_LEAGUE = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{k}>{v})" for k, v in _LEAGUES.items()) + r")(?![\w])"
)
# What news calls teams besides. Left: folded words; right: the name that stands for them.
_ALSO_WRITTEN = """
a's=athletics;cavs=cavaliers;mavs=mavericks;wolves=wolverhampton;twolves=timberwolves;
t-wolves=timberwolves;dubs=warriors;niners=49ers;pats=patriots;bucs=buccaneers;jags=jaguars;
phins=dolphins;habs=canadiens;leafs=maple leafs;caps=capitals;canes=hurricanes;preds=predators;
bolts=lightning;sens=senators;nucks=canucks;isles=islanders;pens=penguins;avs=avalanche;
knights=golden knights;d-backs=diamondbacks;dbacks=diamondbacks;yanks=yankees;jays=blue jays;
nats=nationals;phils=phillies;cards=cardinals;guards=guardians;bosox=red sox;chisox=white sox;
chi sox=white sox;philly=philadelphia;nola=new orleans;okc=oklahoma city;gsw=golden state;
sa spurs=san antonio spurs;man u=manchester united;atleti=atletico madrid;barca=barcelona;
forest=nottingham forest;nottm forest=nottingham forest;gladbach=borussia monchengladbach;
m´gladbach=borussia monchengladbach;bilbao=athletic bilbao;juve=juventus;
inter milan=inter;internazionale=inter;los blancos=real madrid;gunners=arsenal;
red devils=manchester united;hammers=west ham;villa=aston villa;palace=crystal palace;
bvb=borussia dortmund;leverkusen=bayer leverkusen;sporting cp=sporting;
sporting lisbon=sporting;navi=natus vincere;vit=vitality;usmnt=usa;uswnt=usa;three lions=england;
deutschland=germany;schweiz=switzerland;osterreich=austria;frankreich=france;spanien=spain;
italien=italy;niederlande=netherlands;allemagne=germany;espagne=spain;angleterre=england;
pays-bas=netherlands;italie=italy;bresil=brazil;espana=spain;alemania=germany;francia=france;
inglaterra=england;brasil=brazil;germania=germany;spagna=spain;inghilterra=england;italia=italy;
blackcaps=new zealand;black caps=new zealand;all blacks=new zealand;springboks=south africa;
wallabies=australia;les bleus=france;die mannschaft=germany;la roja=spain;azzurri=italy;
selecao=brazil;albiceleste=argentina;oranje=netherlands;el tri=mexico;socceroos=australia;
matildas=australia;lionesses=england;proteas=south africa;men in blue=india;
b's=bruins;o's=orioles;m's=mariners;halos=angels;friars=padres;redbirds=cardinals;
cubbies=cubs;buccos=pirates;snakes=diamondbacks;yotes=coyotes;sixers=76ers;
blazers=trail blazers;grizz=grizzlies;pels=pelicans;wiz=wizards;clips=clippers;
g-men=giants;fins=dolphins;
toffees=everton;magpies=newcastle;blaugrana=barcelona;rossoneri=ac milan;
nerazzurri=inter;bianconeri=juventus;giallorossi=roma;partenopei=napoli;die roten=bayern munich
"""
_CRICKET_WRITTEN = """
rcb=royal challengers bengaluru;csk=chennai super kings;mi=mumbai indians;
kkr=kolkata knight riders;srh=sunrisers hyderabad;lsg=lucknow super giants;dc=delhi capitals;
gt=gujarat titans;pbks=punjab kings;rr=rajasthan royals
"""

_COLLEGE_TEAMS = """
Air Force|Falcons;Akron|Zips;Alabama|Crimson Tide|bama;Appalachian State|Mountaineers|app state;
Arizona|Wildcats;Arizona State|Sun Devils;Arkansas|Razorbacks;Arkansas State|Red Wolves;
Army|Black Knights;Auburn|Tigers;Ball State|Cardinals;Baylor|Bears;Boise State|Broncos;
Boston College|Eagles;Bowling Green|Falcons;Buffalo|Bulls;BYU|Cougars|brigham young;
California|Golden Bears|cal;Central Michigan|Chippewas;Charlotte|49ers;Cincinnati|Bearcats;
Clemson|Tigers;Coastal Carolina|Chanticleers;Colorado|Buffaloes|buffs;Colorado State|Rams;
UConn|Huskies|connecticut;Creighton|Bluejays;Dayton|Flyers;Delaware|Blue Hens;Duke|Blue Devils;
East Carolina|Pirates;Eastern Michigan|Eagles;Florida|Gators;Florida Atlantic|Owls|fau;
Florida International|Panthers|fiu;Florida State|Seminoles|fsu|noles;Fresno State|Bulldogs;
Georgetown|Hoyas;Georgia|Bulldogs|dawgs;Georgia Southern|Eagles;Georgia State|Panthers;
Georgia Tech|Yellow Jackets;Gonzaga|Bulldogs|zags;Hawaii|Rainbow Warriors;Hofstra|Pride;
Houston|Cougars;Illinois|Fighting Illini|illini;Indiana|Hoosiers;Iowa|Hawkeyes;
Iowa State|Cyclones;Jacksonville State|Gamecocks;James Madison|Dukes|jmu;Kansas|Jayhawks;
Kansas State|Wildcats;Kennesaw State|Owls;Kent State|Golden Flashes;Kentucky|Wildcats;
Liberty|Flames;LIU|Sharks|long island university|long island;Louisiana|Ragin' Cajuns;
Louisiana Tech|Bulldogs|la tech;Louisville|Cardinals;LSU|Tigers;Marquette|Golden Eagles;
Marshall|Thundering Herd;Maryland|Terrapins|terps;Massachusetts|Minutemen|umass;
Memphis|Tigers;Miami (FL)|Hurricanes|miami;Miami (OH)|RedHawks;Michigan|Wolverines;
Michigan State|Spartans;Middle Tennessee|Blue Raiders;Minnesota|Golden Gophers|gophers;
Ole Miss|Rebels|mississippi;Mississippi State|Bulldogs;Missouri|Tigers|mizzou;
Missouri State|Bears;Navy|Midshipmen;Nebraska|Cornhuskers|huskers;Nevada|Wolf Pack;
New Mexico|Lobos;New Mexico State|Aggies;North Carolina|Tar Heels|unc;
NC State|Wolfpack|north carolina state|north carolina st;North Dakota State|Bison;
North Texas|Mean Green;Northern Illinois|Huskies|niu;Northwestern|Wildcats;
Notre Dame|Fighting Irish;Ohio|Bobcats;Ohio State|Buckeyes;Oklahoma|Sooners;
Oklahoma State|Cowboys;Old Dominion|Monarchs;Oregon|Ducks;Oregon State|Beavers;
Penn State|Nittany Lions;Pittsburgh|Panthers|pitt;Princeton|Tigers;Providence|Friars;
Purdue|Boilermakers;Rice|Owls;Rutgers|Scarlet Knights;Sam Houston|Bearkats;
San Diego State|Aztecs|sdsu;San Jose State|Spartans|sjsu;Seton Hall|Pirates;SMU|Mustangs;
South Alabama|Jaguars;South Carolina|Gamecocks;South Florida|Bulls|usf;
Southern Miss|Golden Eagles;Saint Mary's|Gaels;St. John's|Red Storm;Stanford|Cardinal;
Syracuse|Orange;TCU|Horned Frogs;Temple|Owls;Tennessee|Volunteers|vols;Texas|Longhorns;
Texas A&M|Aggies|aggies;Texas State|Bobcats;Texas Tech|Red Raiders;Toledo|Rockets;Troy|Trojans;
Tulane|Green Wave;Tulsa|Golden Hurricane;UAB|Blazers;UCF|Knights|central florida;UCLA|Bruins;
ULM|Warhawks;UNLV|Rebels;USC|Trojans|southern california;Utah|Utes;Utah State|Aggies;
UTEP|Miners;UTSA|Roadrunners;Vanderbilt|Commodores|vandy;VCU|Rams;Villanova|Wildcats;
Virginia|Cavaliers|wahoos;Virginia Tech|Hokies;Wake Forest|Demon Deacons;Washington|Huskies;
Washington State|Cougars|wazzu;West Virginia|Mountaineers|wvu;Western Kentucky|Hilltoppers|wku;
Western Michigan|Broncos;Wisconsin|Badgers;Wyoming|Cowboys;Xavier|Musketeers
"""
"""School, nickname, what else news writes."""


_MLS_CLUBS = """
Atlanta United|Atlanta|five stripes;Austin FC|Austin|verde;Charlotte FC|Charlotte|the crown;
Chicago Fire|Chicago|fire;FC Cincinnati|Cincinnati|fcc;Colorado Rapids|Colorado|rapids;
Columbus Crew|Columbus|crew;D.C. United|Washington|dc united;FC Dallas|Dallas|dallas burn;
Houston Dynamo|Houston|dynamo;Inter Miami|Miami|herons;LA Galaxy|Los Angeles|galaxy|la galaxy;
Los Angeles FC|Los Angeles|lafc;Minnesota United|Minnesota|loons;CF Montreal|Montreal|cf montreal;
Nashville SC|Nashville|nashville sc;New England Revolution|New England|revolution|revs;
New York City FC|New York City|nycfc;New York Red Bulls|New York|red bulls|rbny;
Orlando City|Orlando|orlando city;Philadelphia Union|Philadelphia|union;
Portland Timbers|Portland|timbers;Real Salt Lake|Salt Lake|rsl;San Diego FC|San Diego|san diego fc;
San Jose Earthquakes|San Jose|earthquakes|quakes;Seattle Sounders|Seattle|sounders;
Sporting Kansas City|Kansas City|sporting kc|skc;St. Louis City|St. Louis|stl city;
Toronto FC|Toronto|tfc;Vancouver Whitecaps|Vancouver|whitecaps
"""
"""Club, its city as Kalshi writes it, what else news writes."""


_PEOPLE: Final = {
    "nba": "Giannis Antetokounmpo;Jayson Tatum;Jaylen Brown;Anthony Davis;Devin Booker;Trae Young;"
    "Ja Morant;Damian Lillard;Jimmy Butler;Kawhi Leonard;James Harden;Paul George;Joel Embiid;"
    "Karl-Anthony Towns;Jalen Brunson;Donovan Mitchell;Tyrese Haliburton;Cade Cunningham;"
    "Paolo Banchero;Zion Williamson;Chet Holmgren;Cooper Flagg;Kyrie Irving;Draymond Green;"
    "Victor Wembanyama;Shai Gilgeous-Alexander;Nikola Jokic;Luka Doncic;LeBron James;LeBron;"
    "Stephen Curry;Steph Curry;Kevin Durant;Anthony Edwards;Caitlin Clark;A'ja Wilson;"
    "Angel Reese;Paige Bueckers;Breanna Stewart;Sabrina Ionescu;Napheesa Collier",
    "nfl": "Patrick Mahomes;Josh Allen;Lamar Jackson;Joe Burrow;Jalen Hurts;Aaron Rodgers;"
    "Dak Prescott;Justin Herbert;Justin Jefferson;Ja'Marr Chase;Tyreek Hill;Travis Kelce;"
    "Saquon Barkley;Christian McCaffrey;Derrick Henry;Micah Parsons;Myles Garrett;Maxx Crosby;"
    "Caleb Williams;Jayden Daniels;Drake Maye;Bo Nix;C.J. Stroud;Baker Mayfield;Shedeur Sanders;"
    "Travis Hunter;Arch Manning;Deion Sanders;Bill Belichick;Nick Saban;Kyler Murray",
    "mlb": "Shohei Ohtani;Ohtani;Aaron Judge;Mookie Betts;Freddie Freeman;Juan Soto;Bryce Harper;"
    "Paul Skenes;Tarik Skubal;Ronald Acuña;Mike Trout;Fernando Tatis;Bobby Witt;Cal Raleigh;"
    "Gerrit Cole;Yoshinobu Yamamoto;Roki Sasaki;Clayton Kershaw;Justin Verlander;Elly De La Cruz;"
    "Gunnar Henderson;Francisco Lindor;Pete Alonso;Vladimir Guerrero;José Ramírez;Kyle Tucker",
    "nhl": "Connor McDavid;McDavid;Leon Draisaitl;Auston Matthews;Sidney Crosby;Alex Ovechkin;"
    "Ovechkin;Nathan MacKinnon;Cale Makar;Nikita Kucherov;David Pastrnak;Mitch Marner;Jack Eichel;"
    "Connor Bedard;Artemi Panarin;Matthew Tkachuk;Brady Tkachuk;Connor Hellebuyck;Quinn Hughes;"
    "Jack Hughes;Macklin Celebrini;Kirill Kaprizov;Igor Shesterkin;Mikko Rantanen",
    "football": "Lionel Messi;Messi;Cristiano Ronaldo;Ronaldo;Kylian Mbappé;Mbappé;Erling Haaland;"
    "Haaland;Mohamed Salah;Vinicius Junior;Jude Bellingham;Harry Kane;Lamine Yamal;Neymar;"
    "Robert Lewandowski;Pedri;Gavi;Rodri;Phil Foden;Bukayo Saka;Cole Palmer;Declan Rice;"
    "Marcus Rashford;Bruno Fernandes;Florian Wirtz;Jamal Musiala;Alexander Isak;Viktor Gyökeres;"
    "Ousmane Dembélé;Achraf Hakimi;Raphinha;Son Heung-min;Heung-min Son;Virgil van Dijk;"
    "Trent Alexander-Arnold;Kevin De Bruyne;Pep Guardiola;Mikel Arteta;Jürgen Klopp;Arne Slot;"
    "Jose Mourinho;Carlo Ancelotti;Xabi Alonso;Hansi Flick;Diego Simeone;Thomas Tuchel;"
    "Ruben Amorim;Enzo Maresca;Unai Emery;Eddie Howe;Luis Enrique;Antonio Conte;"
    "Mauricio Pochettino;Didier Deschamps;Zinedine Zidane;Aitana Bonmatí;Alexia Putellas;"
    "Emma Hayes;Sam Kerr;Alessia Russo;Trinity Rodman",
    "tennis": "Novak Djokovic;Carlos Alcaraz;Jannik Sinner;Rafael Nadal;Roger Federer;"
    "Serena Williams;Venus Williams;Emma Raducanu;Naomi Osaka;Coco Gauff;Iga Swiatek;Andy Murray;"
    "Nick Kyrgios;Stan Wawrinka;Joao Fonseca;Ons Jabeur;Paula Badosa;Karolina Muchova",
    "boxing": "Canelo Alvarez;Canelo;Terence Crawford;Tyson Fury;Anthony Joshua;Oleksandr Usyk;"
    "Usyk;Jake Paul;Gervonta Davis;Ryan Garcia;Devin Haney;Shakur Stevenson;Naoya Inoue;"
    "Deontay Wilder;Floyd Mayweather;Manny Pacquiao;Katie Taylor;Claressa Shields;Daniel Dubois;"
    "Dmitry Bivol;Artur Beterbiev;Mike Tyson;Teofimo Lopez;Joseph Parker;David Benavidez",
    "ufc": "Jon Jones;Conor McGregor;Islam Makhachev;Ilia Topuria;Khamzat Chimaev;Alex Pereira;"
    "Tom Aspinall;Israel Adesanya;Sean O'Malley;Merab Dvalishvili;Dustin Poirier;Max Holloway;"
    "Charles Oliveira;Paddy Pimblett;Khabib Nurmagomedov;Dricus du Plessis;Ciryl Gane;"
    "Justin Gaethje;Kayla Harrison;Amanda Nunes;Valentina Shevchenko;Dana White",
    "golf": "Scottie Scheffler;Rory McIlroy;McIlroy;Tiger Woods;Bryson DeChambeau;Jon Rahm;"
    "Brooks Koepka;Jordan Spieth;Justin Thomas;Xander Schauffele;Collin Morikawa;Phil Mickelson;"
    "Viktor Hovland;Tommy Fleetwood;Ludvig Aberg;Nelly Korda;Lydia Ko;Rose Zhang;Lexi Thompson;"
    "Shane Lowry;Justin Rose;Dustin Johnson;Hideki Matsuyama;Cameron Smith",
    "f1": "Max Verstappen;Verstappen;Lewis Hamilton;Lando Norris;Oscar Piastri;Piastri;"
    "Charles Leclerc;Leclerc;George Russell;Kimi Antonelli;Fernando Alonso;Carlos Sainz;"
    "Sergio Perez;Alex Albon;Christian Horner;Toto Wolff;Marc Marquez;Valentino Rossi;Alex Palou;"
    "Kyle Larson;Denny Hamlin;Chase Elliott;Yuki Tsunoda;Isack Hadjar;Francesco Bagnaia",
    "cricket": "Virat Kohli;Kohli;Rohit Sharma;MS Dhoni;Jasprit Bumrah;Ben Stokes;Joe Root;"
    "Steve Smith;Pat Cummins;Mitchell Starc;Babar Azam;Shaheen Afridi;Shubman Gill;"
    "Hardik Pandya;Rishabh Pant;Kane Williamson;Harry Brook;Jofra Archer;Travis Head;"
    "Smriti Mandhana;Harmanpreet Kaur;Vaibhav Suryavanshi;Glenn Maxwell;Rashid Khan",
    "chess": "Magnus Carlsen;Gukesh Dommaraju;Gukesh;Hikaru Nakamura;Fabiano Caruana;Ding Liren;"
    "Praggnanandhaa;Alireza Firouzja;Hans Niemann;Levon Aronian;Vincent Keymer;Arjun Erigaisi",
    "cycling": "Tadej Pogacar;Pogacar;Jonas Vingegaard;Vingegaard;Remco Evenepoel;Evenepoel;"
    "Primoz Roglic;Mathieu van der Poel;Wout van Aert;Mark Cavendish;Tom Pidcock;Isaac del Toro;"
    "Demi Vollering;Juan Ayuso;Geraint Thomas",
    "olympics": "Simone Biles;Noah Lyles;Mondo Duplantis;Armand Duplantis;Katie Ledecky;"
    "Mikaela Shiffrin;Lindsey Vonn;Eliud Kipchoge;Kipchoge;Sifan Hassan;Faith Kipyegon;"
    "Jakob Ingebrigtsen;Femke Bol;Leon Marchand;Usain Bolt;Ilia Malinin;Chloe Kim;Eileen Gu;"
    "Marco Odermatt;Sydney McLaughlin-Levrone;Julien Alfred;Keely Hodgkinson;Suni Lee",
    "darts": "Luke Littler;Littler;Luke Humphries;Michael van Gerwen;Gerwyn Price;"
    "Ronnie O'Sullivan;Judd Trump;Mark Selby;Zhao Xintong;Stephen Hendry",
    "rugby": "Antoine Dupont;Siya Kolisi;Maro Itoje;Finn Russell;Ardie Savea;Johnny Sexton;"
    "Nathan Cleary;Cheslin Kolbe;Owen Farrell;Rassie Erasmus;Marcus Smith",
    "esports": "Faker;ZywOo;s1mple;donk;NiKo;m0NESY;TenZ;Chovy;Keria;Gumayusi",
}  # fmt: skip
"""People whom news names without saying what they play; the factor base has some of them too."""


def _pairs(text: str) -> dict[str, str]:
    lines = (pair.partition("=") for pair in " ".join(text.split()).split(";"))
    return {left.strip(): right.strip() for left, _, right in lines}


_ALSO: Final = _pairs(_ALSO_WRITTEN)
_CRICKET: Final = _pairs(_CRICKET_WRITTEN)
"""What cricket calls its teams: elsewhere these letters are other things."""
_WNBA_PLACES: Final = _pairs(
    "atl=atlanta;chi=chicago;conn=connecticut;dal=dallas;gs=golden state;gsw=golden state;"
    "ind=indiana;la=los angeles;lv=las vegas;min=minnesota;ny=new york;phx=phoenix;sea=seattle;"
    "wsh=washington;was=washington"
)
_ALSO_NAMED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted(map(re.escape, _ALSO), key=len, reverse=True))
    + r")(?![\w-])"
)
_FURNITURE: Final = frozenset(
    """fc cf sc ac afc as ss ssc us cd ud sd rc rcd ca cr club de calcio esport gamin team kv sv tsv
    vfb vfl fk if bk cp ec fr st saudi mma 1 ii academi women u21 u23 the of""".split()
)
"""Terms that tell no club from another."""

_FOOTBALL: Final = frozenset(
    {"epl", "ucl", "uel", "laliga", "seriea", "bundesliga", "ligue1", "mls", "football"}
)
FULLY_KNOWN: Final = frozenset({*TEAMS, "wnba", "ncaa"})
"""Leagues all of whose teams are known by city and nickname."""
_OF_A_PLACE = 0.4
"""A club that is called like its town ("Liverpool") tells no more of sports than a nickname."""
_SURNAME = 0.05
"""A surname alone tells something only beside another name of its league."""
_MANY_SPORTS: Final = frozenset({"olympics", "other"})
_KINDS: Final = {
    "wnba-team": ("wnba", 1.0), "football-club": ("football", 0.8),
    "football-nation": ("football", 0.0), "esports-team": ("esports", 0.3),
    "tennis-player": ("tennis", 1.0), "golfer": ("golf", 0.8), "f1-driver": ("f1", 0.9),
    "f1-team": ("f1", 0.1), "nfl-star": ("nfl-player", 0.9), "nba-star": ("nba-player", 0.9),
    "mlb-star": ("mlb-player", 0.9), "footballer": ("football-player", 0.9),
}  # fmt: skip
"""Entity lists of the factor base: their league, and how surely a name tells of sports."""
_ALSO_WORDS: Final = frozenset(
    """heat magic jazz thunder wild king star giant ranger jet wildcat bulldog bobcat flash
    aggi rebel miner knight pride duke bison bill bear bull brown saint eagl lion
    panther ram chief cowboy titan raven sun net hornet hawk rocket wizard spur buck angel athlet
    tiger twin ray red royal cardin brave nation pirat rocki brewer mariner duck flame hurrican
    shark blue lightn predat devil senat capit penguin dolphin patriot viking falcon colt jaguar
    command raider texan steeler guardian cub astro pacer warrior mammoth avalanch kraken storm
    dream sky fever aces bengal bruin packer
    saber gator husky spartan trojan badger liberti merc wing spark lynx sabr oiler""".split()
)
"""Stems of nicknames that are words of their own: alone they tell little."""


class Name(NamedTuple):
    """A team or player as a text names it."""

    text: str
    terms: frozenset[str]
    """What is left of the name without club furniture."""
    keys: frozenset[str]
    """`league:name` of everything known that it may be."""


def is_common(nickname: str) -> bool:
    """Whether a nickname is a word of its own."""
    return set(terms(nickname)) <= _ALSO_WORDS


@cache
def known() -> dict[tuple[str, ...], frozenset[tuple[str, float]]]:
    """Terms of a name -> what it may be: (`league:name`, how surely it tells of sports)."""
    found: dict[tuple[str, ...], set[tuple[str, float]]] = {}

    def add(name: str, key: str, weight: float) -> None:
        words = tuple(terms(name))
        if words:
            found.setdefault(words, set()).add((key, weight))

    for teams in TEAMS.values():
        for one in teams:
            nickname = one.key.partition(":")[2]
            key = "nba:trail blazers" if nickname == "blazers" else one.key
            add(nickname, key, 0.4 if is_common(nickname) else 1.0)
            add(f"{one.place} {nickname}", key, 1.0)
    for line in " ".join(_COLLEGE_TEAMS.split()).split(";"):
        school, nickname, *others = line.strip().split("|")
        key = f"ncaa:{school.casefold()}"
        for form in (school, school.replace("State", "St."), *others):
            add(form, key, 0.0)
            add(f"{form} {nickname}", key, 1.0)
        add(nickname, key, 0.4 if is_common(nickname) else 0.8)
    for club, _, nicknames in _mls_clubs():
        for form in (club, *nicknames):
            add(form, f"football:{club.casefold()}", 0.4)
    for league, told in _PEOPLE.items():
        for person in told.split(";"):
            key = f"{league}-player:{person.casefold()}"
            add(person, key, 1.0)
            if " " in person:
                add(person.split()[-1], key, _SURNAME)
    for kind, (league, weight) in _KINDS.items():
        for row in knowledge.load().entities.get(kind, ()):
            key = f"{league}:{row['name'].casefold()}"
            if kind == "football-club" and len(terms(row["name"])) == 1:
                weight = _OF_A_PLACE
            add(row["name"], key, weight)
            if kind == "wnba-team":
                add(row["name"].split()[-1], key, 0.4)
            for alias in row.get("match", "").split("|"):
                # "sinner & !film": a name that is a word of its own
                plain, *others = (part.strip() for part in alias.split("&"))
                if all(part.startswith("!") for part in others):
                    add(plain, key, weight / 2 if others else weight)
    # "Werder", "Bremen": a word of one club's name alone names it, but tells little of sports.
    clubs = [row["name"] for row in knowledge.load().entities.get("football-club", ())]
    in_names = Counter(word for club in clubs for word in set(terms(club)))
    for club in clubs:
        for word in terms(club):
            if in_names[word] == 1 and len(word) > 3 and word not in _FURNITURE:
                add(word, f"football:{club.casefold()}", 0.0)
    return {words: frozenset(keys) for words, keys in found.items()}


@cache
def countries() -> frozenset[str]:
    """Keys of the sides that are countries."""
    rows = knowledge.load().entities.get("football-nation", ())
    return frozenset(f"football:{row['name'].casefold()}" for row in rows)


def _mls_clubs() -> list[tuple[str, str, list[str]]]:
    out: list[tuple[str, str, list[str]]] = []
    for line in " ".join(_MLS_CLUBS.split()).split(";"):
        club, city, *others = line.strip().split("|")
        out.append((club, city, list[str](others)))
    return out


@cache
def places() -> dict[tuple[str, ...], frozenset[str]]:
    """Terms of a city -> the teams that are called by it."""
    found: dict[tuple[str, ...], set[str]] = {}
    for teams in TEAMS.values():
        for one in teams:
            found.setdefault(tuple(terms(one.place)), set()).add(one.key)
    for row in knowledge.load().entities.get("wnba-team", ()):
        city = tuple(terms(row["name"].rpartition(" ")[0]))
        found.setdefault(city, set()).add(f"wnba:{row['name'].casefold()}")
    for club, city, _ in _mls_clubs():
        found.setdefault(tuple(terms(city)), set()).add(f"football:{club.casefold()}")
    return {words: frozenset(keys) for words, keys in found.items()}


@cache
def _longest() -> int:
    return max(map(len, known()))


class Mention(NamedTuple):
    """A known name among terms, from `start` up to `end`, and how surely each of `keys` tells
    of sports."""

    start: int
    end: int
    keys: frozenset[tuple[str, float]]


def mentions(words: Sequence[str]) -> list[Mention]:
    """Known names in a row of terms, the longest first where they overlap."""
    table, longest, at = known(), _longest(), 0
    out: list[Mention] = []
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            keys = table.get(tuple(words[at : at + size]))
            if keys:
                out.append(Mention(at, at + size, keys))
                at += size
                break
        else:
            at += 1
    return out


def replaced(text: str) -> str:
    """Folded, with the names that news gives teams written out."""
    return _ALSO_NAMED.sub(lambda match: _ALSO[match.group()], fold(text))


_SMALL = frozenset("de da di del der den van von la le el al dos das st. st of".split())
_CAPITALISED = re.compile(r"[^\w]*[A-Z0-9À-ÖØ-ÞŁŚŠŽĆČ]")


def runs(text: str) -> list[str]:
    """The stretches of a text in which names may stand: words with a capital, and the small ones
    between; the whole of a text without any capital, as addresses are."""
    words = text.split()
    capital = [_CAPITALISED.match(word) is not None for word in words]
    if not any(capital):
        return [text]
    out: list[list[str]] = [[]]
    for word, is_capital in zip(words, capital, strict=True):
        if is_capital or (out[-1] and word.lower() in _SMALL):
            out[-1].append(word)
        elif out[-1]:
            out.append([])
    return [" ".join(run) for run in out if run]


@remembered(16 << 20)
def name(text: str, league: str | None = None) -> Name:
    """A team or player by any of its names; `league` tells cities apart."""
    plain = fold(text)
    words = terms(_CRICKET.get(plain, plain) if league == "cricket" else replaced(text))
    told = frozenset(words)
    kept = {w for w in words if len(w) > 1 and w not in _FURNITURE and not _is_year(w)}
    keys: set[str] = set()
    for mention in mentions(words):
        # "High Point Panthers": many schools share a nickname, so it must be all of the name.
        whole = kept <= set(words[mention.start : mention.end])
        keys |= {k for k, _ in mention.keys if whole or league_of_key(k) != "ncaa"}
    # "Los Angeles C" needs its letter; elsewhere single letters are initials.
    for one in TEAMS if league is None else [league] if league in TEAMS else []:
        if (key := team(told, one)) is not None:
            keys.add(key)
    if league in ("wnba", "mls"):
        place = tuple(terms(_WNBA_PLACES.get(plain, plain)) if league == "wnba" else words)
        keys |= {key for key in places().get(place, ()) if league_of_key(key) == broad(league)}
    if league is not None and league not in _MANY_SPORTS:
        # Punjab's Kings are not Sacramento's.
        keys = {key for key in keys if league_of_key(key) == broad(league)}
    return Name(text.strip(), frozenset(kept or told), frozenset(keys))


def initials(side: Name, league: str | None) -> set[str]:
    """The letters a side may be called by."""
    found = "".join(w[0] for w in side.text.split() if w[:1].isupper()).lower()
    out = {found} if len(found) > 2 else set[str]()
    if league == "cricket":
        out |= {letters for letters, whole in _CRICKET.items() if whole == fold(side.text)}
    return out


def broad(league: str) -> str:
    """The league that names are known by: all of football is one, and all of tennis."""
    if league in _FOOTBALL:
        return "football"
    if league in ("ncaab", "ncaaf"):
        return "ncaa"
    return "tennis" if league in ("atp", "wta") else league


def league_of_key(key: str) -> str:
    return key.partition(":")[0]


def is_player(key: str) -> bool:
    """Whether a key is of somebody who plays for a side, and is none."""
    league, is_one, _ = league_of_key(key).partition("-player")
    return bool(is_one) and league not in _OF_PEOPLE


_OF_PEOPLE: Final = frozenset({"tennis", "boxing", "ufc", "golf", "f1", "chess", "darts"})


def _is_year(word: str) -> bool:
    return is_number(word) and len(word) == 4 and word[:2] in ("19", "20")


def same(one: Name, other: Name) -> bool:
    """Whether two names may be of one team or player."""
    if one.keys & other.keys:
        return True
    if one.keys and other.keys and leagues(one) & leagues(other):
        return False  # both known, and known to be two
    return bool(one.terms and other.terms) and (
        _within(one.terms, other.terms) or _within(other.terms, one.terms)
    )


def _within(few: frozenset[str], many: frozenset[str]) -> bool:
    """Whether each of a few terms is one of many, or spelt nearly so ("Rawalpindiz")."""
    return all(
        word in many
        or (len(word) > 5 and any(word[:6] == m[:6] and abs(len(word) - len(m)) < 3 for m in many))
        for word in few
    )


def leagues(one: Name) -> set[str]:
    return {league_of_key(key) for key in one.keys}


def league_of(text: str) -> str | None:
    """The league, tournament or sport that a text names first."""
    found = _LEAGUE.search(fold(text))
    return found.lastgroup if found else None
