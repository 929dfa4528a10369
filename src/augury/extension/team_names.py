"""Data for `extension.names`: how leagues, teams and players are written."""

from __future__ import annotations

from typing import Final

LEAGUES: Final = {
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

# Other names of teams in the news. Left: folded words; right: the name that replaces them.
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

COLLEGE_TEAMS = """
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
"""One entry per school: school | nickname | other names used in the news."""


MLS_CLUBS = """
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
"""The clubs of Major League Soccer, separated by semicolons. An entry has three parts, separated by
"|": the club, its city as Kalshi writes it, and other names that the news uses for the club."""


PEOPLE: Final = {
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
"""League -> players and coaches whom the news names without their sport, separated by
semicolons."""


def _pairs(text: str) -> dict[str, str]:
    lines = (pair.partition("=") for pair in " ".join(text.split()).split(";"))
    return {left.strip(): right.strip() for left, _, right in lines}


ALSO_CALLED: Final = _pairs(_ALSO_WRITTEN)
CRICKET_TEAMS: Final = _pairs(_CRICKET_WRITTEN)
"""Abbreviation -> name of a cricket team. Only used for cricket, since elsewhere these letters mean
other things."""
WNBA_PLACES: Final = _pairs(
    "atl=atlanta;chi=chicago;conn=connecticut;dal=dallas;gs=golden state;gsw=golden state;"
    "ind=indiana;la=los angeles;lv=las vegas;min=minnesota;ny=new york;phx=phoenix;sea=seattle;"
    "wsh=washington;was=washington"
)
"""Abbreviation -> place of a WNBA team."""

CLUB_FURNITURE: Final = frozenset(
    """fc cf sc ac afc as ss ssc us cd ud sd rc rcd ca cr club de calcio esport gamin team kv sv tsv
    vfb vfl fk if bk cp ec fr st saudi mma 1 ii academi women u21 u23 the of""".split()
)
"""Word stems that occur in the names of many clubs ("fc", "club"), so that they do not tell clubs
apart."""

ENTITY_LISTS: Final = {
    "wnba-team": ("wnba", 1.0), "football-club": ("football", 0.8),
    "football-nation": ("football", 0.0), "esports-team": ("esports", 0.3),
    "tennis-player": ("tennis", 1.0), "golfer": ("golf", 0.8), "f1-driver": ("f1", 0.9),
    "f1-team": ("f1", 0.1), "nfl-star": ("nfl-player", 0.9), "nba-star": ("nba-player", 0.9),
    "mlb-star": ("mlb-player", 0.9), "footballer": ("football-player", 0.9),
}  # fmt: skip
"""For each list of teams or players in the factor base (`augury.relations`): its league, and how
strongly, 0 to 1, a name from this list shows that a text is on sports. Chosen by hand."""
NICKNAMES_THAT_ARE_WORDS: Final = frozenset(
    """heat magic jazz thunder wild king star giant ranger jet wildcat bulldog bobcat flash
    aggi rebel miner knight pride duke bison bill bear bull brown saint eagl lion
    panther ram chief cowboy titan raven sun net hornet hawk rocket wizard spur buck angel athlet
    tiger twin ray red royal cardin brave nation pirat rocki brewer mariner duck flame hurrican
    shark blue lightn predat devil senat capit penguin dolphin patriot viking falcon colt jaguar
    command raider texan steeler guardian cub astro pacer warrior mammoth avalanch kraken storm
    dream sky fever aces bengal bruin packer
    saber gator husky spartan trojan badger liberti merc wing spark lynx sabr oiler""".split()
)
"""Stems of teams' nicknames that are also ordinary words ("magic"), so that alone they are weak
evidence of sports."""
