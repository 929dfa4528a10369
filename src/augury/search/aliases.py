"""Words that mean the same on prediction markets: demonyms, tickers, agencies, league names.

The tables hold general knowledge, grouped by domain. An entry has the words to replace, folded to
ASCII (several words in quotes), and then the terms that replace them in documents and queries
alike: in `"united states" us`, "us" replaces "united states". A phrase takes precedence over its
words, a longer phrase over a shorter one. No entry may turn one subject into another: "DOGE" is an
agency and a coin, so it is not replaced.
"""

from __future__ import annotations

from typing import Final

from augury.language import calendar

_MONTHS = "; ".join(f"{short} {name}" for short, name in calendar.SHORT_MONTHS.items())

_DEMONYMS = """
american us; americans us; british uk; britain uk; french france; german germany; italian italy;
spanish spain; portuguese portugal; dutch netherlands; holland netherlands; belgian belgium;
swiss switzerland; austrian austria; hungarian hungary; polish poland; czech czechia;
slovak slovakia; slovenian slovenia; romanian romania; moldovan moldova; bulgarian bulgaria;
greek greece; turkish turkey; turkiye turkey; russian russia; russians russia; ukrainian ukraine;
ukrainians ukraine; belarusian belarus; serbian serbia; croatian croatia; bosnian bosnia;
albanian albania; kosovar kosovo; swedish sweden; norwegian norway; danish denmark;
finnish finland; icelandic iceland; irish ireland; scottish scotland; estonian estonia;
latvian latvia; lithuanian lithuania; greenlandic greenland; chinese china; japanese japan;
korean korea; taiwanese taiwan; indian india; pakistani pakistan; bangladeshi bangladesh;
nepali nepal; indonesian indonesia; vietnamese vietnam; thai thailand; filipino philippines;
philippine philippines; malaysian malaysia; singaporean singapore; cambodian cambodia;
burmese myanmar; australian australia; canadian canada; mexican mexico; brazilian brazil;
argentine argentina; argentinian argentina; chilean chile; colombian colombia;
venezuelan venezuela; peruvian peru; bolivian bolivia; ecuadorian ecuador; cuban cuba;
haitian haiti; panamanian panama; honduran honduras; salvadoran salvador; israeli israel;
israelis israel; palestinian palestine; palestinians palestine; iranian iran; iranians iran;
iraqi iraq; syrian syria; lebanese lebanon; jordanian jordan; yemeni yemen; saudis saudi;
emirati uae; qatari qatar; kuwaiti kuwait; egyptian egypt; ethiopian ethiopia; nigerian nigeria;
kenyan kenya; ugandan uganda; sudanese sudan; libyan libya; moroccan morocco; tunisian tunisia;
algerian algeria; somali somalia; congolese congo; georgian georgia; armenian armenia;
azerbaijani azerbaijan; kazakh kazakhstan; afghan afghanistan; european europe; african africa;
asian asia; californian california; texan texas
"""

_POLITICS = """
usa us; america us; "united states" us; "united states of america" us; "united kingdom" uk;
"great britain" uk; "united arab emirates" uae; "european union" eu; "united nations" un;
"north atlantic treaty organization" nato; nyc newyorkcity; "new york city" newyorkcity;
"washington dc" washingtondc; scotus supremecourt; "supreme court" supremecourt; potus president;
presidential president; presidency president; gop republican; republicans republican;
dem democrat; dems democrat; democrats democrat; democratic democrat;
"house of representatives" house; congressional congress; congressman congress; senator senate;
senators senate; senatorial senate; mayoral mayor; gubernatorial governor; governorship governor;
parliamentary parliament; pm primeminister; "prime minister" primeminister;
premiership primeminister; "attorney general" attorneygeneral;
"secretary of state" statesecretary; "secretary of defense" defensesecretary;
"defense secretary" defensesecretary; "secretary of war" defensesecretary;
"secretary of the treasury" treasurysecretary; "treasury secretary" treasurysecretary;
"homeland security" dhs; "department of justice" doj; "justice department" doj;
"department of defense" pentagon; "central intelligence agency" cia;
"federal bureau of investigation" fbi; "securities and exchange commission" sec;
"environmental protection agency" epa; "federal communications commission" fcc;
"department of government efficiency" doge; "immigration and customs enforcement" ice;
"west virginia" westvirginia; "new mexico" newmexico; "new england" newengland;
"south sudan" southsudan; "northern ireland" northernireland; "mexico city" mexicocity;
"kansas city" kansascity; "west bank" westbank; "white house" whitehouse;
"vice president" vicepresident; "vice presidential" vicepresident; vp vicepresident;
elections election; elected election; elect election; reelected reelection; reelect reelection;
race election; races election; vote vote; voting vote; voter vote; voters vote; ballots ballot;
nominated nomination; nominate nomination; primary nomination; primaries nomination;
nods nomination; shortlisted nomination; shortlist nomination; candidate candidacy; ouster out;
fired out; sacked out; removal out; removed out; leave out; leaves out; exit out; depart out;
departure out; "leave office" out; "leaves office" out; "left office" out;
"removed from office" out; "removal from office" out; "step down" out; "steps down" out;
"stepping down" out; "stepped down" out; "forced out" out; "pushed out" out; "no longer" out;
"approval ratings" approval; "approval rating" approval; legislation law; bill law; bills law;
laws law; act law; statute law; "executive order" executiveorder;
"executive orders" executiveorder; eo executiveorder; regulation regulate; regulations regulate;
regulatory regulate; redistricting redistrict; redraw redistrict; redrawn redistrict;
redraws redistrict; gerrymander redistrict; gerrymandering redistrict;
"congressional map" redistrict; "congressional maps" redistrict; "electoral map" redistrict;
"shut down" shutdown; "debt limit" "debt ceiling"; deportation deport; deportations deport;
deportee deport; migrants immigrant; migrant immigrant; migration immigrant;
immigration immigrant; tariffs tariff; duties tariff; levies tariff; marijuana cannabis;
weed cannabis; invasion invade; invades invade; invaded invade; truce ceasefire;
armistice ceasefire; "cease fire" ceasefire; agreement deal; accord deal; pact deal; treaty deal;
settlement deal; killed kill; convicted convict; conviction convict; guilty convict; lawsuit sue;
sues sue; sued sue; pardons pardon; pardoned pardon; withdrawal withdraw; withdraws withdraw;
withdrawn withdraw; recognise recognize; defence defense; labour labor; hostilities war;
warfare war; referenda referendum; plebiscite referendum; confirmation confirm;
impeachment impeach
"""

_ECONOMY = """
fomc fed; "federal reserve" fed; "federal open market committee" fed; "european central bank" ecb;
boj "bank japan"; boe "bank england"; boc "bank canada"; pboc "bank china"; rba "bank australia";
rbnz "bank zealand"; snb "bank switzerland"; "interest rate" rate; "interest rates" rate;
"fed funds rate" "fed rate"; lower cut; lowers cut; lowered cut; easing cut;
"consumer price index" "inflation cpi"; "producer price index" ppi;
"personal consumption expenditures" pce; "gross domestic product" gdp; nfp job;
"nonfarm payrolls" job; "non farm payrolls" job;
"nonfarm payroll" job; payrolls job;
jobless unemployment; unemployed unemployment; "job approval" approval; layoff "job cut";
layoffs "job cut"; "job cuts" "job cut"; treasuries treasury; "t bill" treasury;
"t bills" treasury; yields yield; "basis points" bps; "basis point" bps; "quarter point" "25 bps";
"half point" "50 bps"; "stand pat" nochange; "stands pat" nochange; "hold rates" "nochange rate";
"holds rates" "nochange rate"; "rate hold" "rate nochange"; "rate pause" "rate nochange";
"pauses rate" "nochange rate"; "rates steady" "rate nochange"; "leave rates" rate;
"leaves rates" rate; "leave interest rates" rate; tightening increase; loosening cut;
greenback dollar; usd dollar; eur euro; gbp pound; jpy yen; cny yuan; renminbi yuan; rmb yuan;
basis bps; "s and p" spx; "s p 500" spx; "sp 500" spx; sp500 spx; "s p" spx; "nasdaq 100" ndx;
nasdaq100 ndx; qqq ndx; "dow jones" djia; dow djia; "russell 2000" rut; nvda "nvidia nvda";
tsla "tesla tsla"; aapl "apple aapl"; msft "microsoft msft";
amzn "amazon amzn"; googl "google googl"; alphabet "google alphabet"; nflx "netflix nflx";
intc "intel intc"; pltr "palantir pltr"; avgo "broadcom avgo"; gme "gamestop gme";
"gold card" goldcard; "gold cards" goldcard; "nikkei 225" nikkei;
"initial public offering" ipo; "go public" ipo; "goes public" ipo; "going public" ipo;
"went public" ipo; "publicly listed" ipo; "public listing" ipo; ipos ipo;
capitalisation marketcap; "market capitalization" marketcap; "market capitalisation" marketcap;
"market cap" marketcap; mcap marketcap; valuation marketcap; acquires acquire; acquired acquire;
merger merge; mergers merge; merging merge; insolvent bankrupt; insolvency bankrupt;
bankruptcy bankrupt; "chapter 11" bankrupt; shares stock; stocks stock; "chief executive" ceo;
"chief executive officer" ceo; crude "crude oil"; wti "crude oil"; "crude oil" "crude oil";
brent "brent oil"; "brent crude" "brent oil"; gasoline gas; petrol gas; "pump price" "gas price";
"pump prices" "gas price"; "gas prices" "gas price"; "natural gas" naturalgas; natgas naturalgas;
"mortgage rates" "mortgage rate"; housing home; houses home; homes home
"""

_CRYPTO = """
btc bitcoin; xbt bitcoin; eth ethereum; ether ethereum; sol solana; xrp ripple; ada cardano;
ltc litecoin; avax avalanche; dot polkadot; matic polygon; bch bitcoincash;
"bitcoin cash" bitcoincash; usdt tether; xmr monero; zec zcash; trx tron; shib shiba;
cryptocurrency crypto; cryptocurrencies crypto; microstrategy strategy; mstr strategy; depeg peg;
depegs peg; depegged peg; depegging peg; "de peg" peg; repeg peg; pegged peg; memecoin meme;
memecoins meme; stablecoins stablecoin; airdrops airdrop; "fully diluted valuation" fdv;
"fully diluted value" fdv; ath alltimehigh; "all time high" alltimehigh;
"record high" alltimehigh; "all time highs" alltimehigh
"""

_SPORT = """
"super bowl" superbowl; "pro football championship" superbowl; "big game" superbowl;
"world series" worldseries; "pro baseball championship" worldseries; "nba finals" nbafinals;
"nba championship" nbafinals; "nba champion" nbafinals; "nba title" nbafinals;
"pro basketball championship" nbafinals; "pro basketball finals" nbafinals;
"stanley cup" stanleycup; "pro hockey championship" stanleycup; "pro basketball" nba;
"pro football" nfl; "pro baseball" mlb; "pro hockey" nhl; "national basketball association" nba;
"national football league" nfl; "national hockey league" nhl; "major league baseball" mlb;
"major league soccer" mls; "english premier league" premierleague; "premier league" premierleague;
epl premierleague; "champions league" championsleague; ucl championsleague;
"europa league" europaleague; uel europaleague; "la liga" laliga; "serie a" seriea;
"ligue 1" ligue1; "world cup" worldcup; "formula 1" f1; "formula one" f1; gp "grand prix";
"mixed martial arts" ufc; "march madness" ncaa; postseason playoff; playoffs playoff;
"most valuable player" mvp; "roland garros" frenchopen; "french open" frenchopen;
"us open" usopen; "australian open" ausopen; "league of legends" lol; "counter strike" cs2;
"counter strike 2" cs2; csgo cs2; champion win; champions win; championship win; title win;
titles win; wins win; winner win; winners win; winning win; won win; victory win; trophy win;
versus vs; trades trade; traded trade; drafted draft; relegation relegate; relegated relegate;
demoted relegate; grandslam "grand slam"; "san antonio spurs" "san antonio spurs";
cfp "college football playoff"; ncaaf "college football"; ncaab "college basketball"; utd united;
spurs tottenham
"""

_CULTURE = """
film movie; films movie; movies movie; grossing gross; "academy award" oscar;
"academy awards" oscar; oscars oscar; grammys grammy; emmys emmy; "emmy awards" emmy; songs song;
"hot 100" billboard; "number one" 1; "no 1" 1; "rotten tomatoes" rottentomatoes;
"tomatometer" rottentomatoes; "gta vi" gta6; "gta 6" gta6; "grand theft auto vi" gta6;
"grand theft auto 6" gta6; tweets tweet; posts tweet; "half time" halftime; wed marry;
wedding marry; marries marry; married marry; marriage marry; divorced divorce; engaged engagement;
pregnancy pregnant
"""

_SCIENCE = """
"artificial intelligence" ai; "open ai" openai; "large language model" llm;
"large language models" llm; llms llm; chatbot ai; chatgpt gpt;
"artificial general intelligence" agi; "self driving" selfdriving; "full self driving" fsd;
driverless selfdriving; robotaxis robotaxi; lunar moon; crewed human; manned human;
astronauts human; astronaut human; quake earthquake; tremor earthquake; snowfall snow;
rainfall rain; precipitation rain; temp temperature; temps temperature; hottest hot; warmest hot;
cyclone hurricane; covid19 covid; coronavirus covid; h5n1 birdflu; "bird flu" birdflu;
"avian flu" birdflu; "avian influenza" birdflu; mpox monkeypox; vaccination vaccine;
vaccinations vaccine; vaccines vaccine; "food and drug administration" fda;
"centers for disease control" cdc; approval approve; debut launch; approves approve;
approved approve;
"nuclear weapon" nuclear
"""


_EVENTS = """
"strikes down" "overturn rule"; "strike down" "overturn rule"; "struck down" "overturn rule";
overturns "overturn rule"; overturned "overturn rule"; overturn "overturn rule";
uphold "uphold rule"; upholds "uphold rule"; upheld "uphold rule"; ruling rule;
"takes control of" capture; "take control of" capture; summit meet; clemency pardon; banned ban;
axed out; exits out; replaced out; "steps aside" out; "step aside" out; dies die; died die;
dead die; death die; deaths die; fatalities die; "passes away" die; "signed into law" law;
"sign into law" law; "signs into law" law; "becomes law" law; "become law" law;
"funding lapse" shutdown; payroll job; "jobs report" job;
"consumer prices" "inflation cpi";
"consumer price" "inflation cpi"; cpi "inflation cpi"; "economic growth" gdp; unchanged nochange;
"no change" nochange; maintains nochange; maintain nochange; "on hold" nochange;
"highest grossing" "top gross"; "top grossing" "top gross"; "biggest grossing" "top gross";
headliner perform; headline perform; headlines perform; headlining perform; performer perform;
performers perform; beat win; beats win; crown win; crowned win; "exchange traded fund" etf;
etfs etf; kiev kyiv; kremlin russia; zelensky zelenskyy; zelenskiy zelenskyy; bibi netanyahu;
elon musk; "elon musk" musk; nuke nuclear; nukes nuclear; "nuclear weapons" nuclear;
"nuclear bomb" nuclear; buy acquire; buys acquire; bought acquire; sold sell; sale sell;
"pull out" withdraw; "pulls out" withdraw; "pulling out" withdraw; leaving out; accession join;
"snap election" "early election"; hamas "hamas gaza"; hezbollah "hezbollah lebanon";
idf israel; irgc iran; knesset "israel parliament";
bundestag "germany parliament"; riksbank "bank sweden"; banxico "bank mexico";
norges "bank norway"; "run off" runoff; "coalition break" "coalition collapse";
"coalition breaks" "coalition collapse"; "government falls" "government collapse";
"government fall" "government collapse"; "fall of the government" "government collapse";
"loses power" out; "lose power" out; "lost power" out;
"voted out" out; "come out" launch; "comes out" launch; "coming out" launch; "pushed back" delay;
legalise legalize; legalises legalize; legalised legalize; legalisation legalize;
normalise normalize; normalises normalize; normalised normalize; normalisation normalize;
normalization normalize; legalization legalize; programme program; centre center;
"paris saint germain" psg; "man city" "manchester city"; "man united" "manchester united";
"man utd" "manchester united"; barca barcelona; niners 49ers; sixers 76ers; cavs cavaliers;
mavs mavericks; pats patriots; okc "oklahoma city"; "moon landing" "moon land";
"tropical cyclone" hurricane; typhoon hurricane; hacked hack; annexation annex; scrap repeal;
repealed repeal; troops force; soldiers force; "boots on the ground" force; forces force;
shuts close
"""


def _table(*blocks: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in ";".join(blocks).split(";"):
        left, right = _side(" ".join(entry.split()))
        if left:
            table[left] = right
    return table


def _side(entry: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if entry.startswith('"'):
        left, _, right = entry[1:].partition('"')
    else:
        left, _, right = entry.partition(" ")
    return tuple(left.split()), tuple(right.replace('"', " ").split())


ALIASES: Final = _table(
    _MONTHS, _DEMONYMS, _POLITICS, _ECONOMY, _CRYPTO, _SPORT, _CULTURE, _SCIENCE, _EVENTS
)
"""Words as written -> the words that replace them in documents and queries. Both are tuples of
words in lower case: `("man", "utd") -> ("manchester", "united")`. `augury.search.text` stems the
replacements afterwards."""

STEMS: Final = _table(
    """attack strike; bomb strike; airstrike strike; seize capture; prohibit ban; outlaw ban;
    indict charge; prosecute charge; defeat win; exploit hack; abolish repeal; annul repeal;
    rescind repeal; reopen open; reduce cut; reduction cut; decrease cut; slash cut;
hike increase;
    raise increase; acquisition acquire; purchase acquire; buyout acquire; takeover acquire;
    release launch; unveil launch; rollout launch; oust out; resign out; dismiss out;
    depose out; topple out; overthrow out; overthrown out; assassinate kill; imprison prison;
    jail prison; detain arrest; blockade close; closure close; outbreak case; infection case;
    downturn recession; enact law; postpone delay; quit out; nominee nomination"""
)
"""Word -> the word that replaces it in documents and queries, each as a tuple of one word. An entry
also covers words with the same stem: the entry for "attack" covers "attacks" and "attacking".
Entries of `ALIASES` take precedence; they replace words only as written. A word is left out if an
inflected form means something else, e.g. "post": "posts" are tweets, the Post is a newspaper."""

STOP_WORDS: Final = frozenset(
    """a an the of to in on at by for from with and or is are was were be been being will would
    could can might shall should do does did has have had it its this that these those there
    their they as than then any some into over under up about after who what when where which
    how why if so not no between through during while also am i we you he she his her our your
    my me us_""".split()
)
"""Words that say nothing about the subject of a text; they are left out of documents and queries.
"may" (the month) and "us" (the country) are not listed."""

WEAK_WORDS: Final = frozenset(
    """surge surges surging surged soar soars soaring jump jumps climb climbs rally rallies
    slide slides sliding slump slumps plunge plunges tumble tumbles sink sinks rise rises rising
    fall falls falling drop drops dip dips hit hits reach reaches past above below toward towards
    across ahead amid amidst add adds get gets getting go goes going take takes taking make makes
    push pushes pushing agree agrees expect expects expected say says said report reports
    reported announce announces face faces spread spreads see sees set sets come comes keep keeps
    happen happens odds chance chances probability likely market markets number count many much
    more fewer less least another next new again before end part date year week month day time
    still ever first last print prints printing reading readings outlook""".split()
)
"""Headline verbs and fillers: they say how a story is told rather than what it is about. In a query
they weigh half as much as other words (`augury.search.text.NUMBER_WEIGHT`)."""
