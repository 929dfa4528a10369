"""Other meanings of names: a capital city also stands for its country, a nickname for a team. Pure.

The tables hold general knowledge by domain, used to compare one question with one market.
`augury.search.aliases` replaces a word by another. Here a name keeps its own term and also gets the
terms of its other meaning, so that an ambiguous name ("Washington") does no harm.
"""

from __future__ import annotations

from typing import Final

from augury.caches import cached
from augury.propositions.teams import TEAMS
from augury.search.text import term, terms

_CAPITALS = """
washington: us; white house: us; pentagon: us; beijing: china; moscow: russia; kremlin: russia;
tehran: iran; jerusalem: israel; tel aviv: israel; knesset: israel parliament; kyiv: ukraine;
verkhovna rada: ukraine parliament; london: uk; westminster: uk parliament; downing street: uk
primeminister; holyrood: scotland parliament; paris: france; elysee: france president; berlin:
germany; bundestag: germany parliament; rome: italy; madrid: spain; moncloa: spain; lisbon:
portugal; brussels: eu; hague: netherlands; bern: switzerland; vienna: austria; budapest:
hungary; warsaw: poland; sejm: poland parliament; prague: czechia; bratislava: slovakia;
bucharest: romania; sofia: bulgaria; athens: greece; ankara: turkey; belgrade: serbia; zagreb:
croatia; pristina: kosovo; stockholm: sweden; riksdag: sweden parliament; oslo: norway;
storting: norway parliament; copenhagen: denmark; folketing: denmark parliament; helsinki:
finland; reykjavik: iceland; dublin: ireland; dail: ireland parliament; taoiseach: ireland
primeminister; tallinn: estonia; riga: latvia; vilnius: lithuania; minsk: belarus; chisinau:
moldova; tbilisi: georgia; yerevan: armenia; baku: azerbaijan; astana: kazakhstan; kabul:
afghanistan; islamabad: pakistan; delhi: india; lok sabha: india parliament; dhaka: bangladesh;
colombo: lanka; kathmandu: nepal; tokyo: japan; diet: japan parliament; seoul: korea; pyongyang:
korea; taipei: taiwan; manila: philippines; hanoi: vietnam; bangkok: thailand; jakarta:
indonesia; kuala lumpur: malaysia; canberra: australia; wellington: zealand; ottawa: canada;
mexico city: mexico; havana: cuba; caracas: venezuela; bogota: colombia; lima: peru; quito:
ecuador; brasilia: brazil; planalto: brazil president; buenos aires: argentina; casa rosada:
argentina president; santiago: chile; la paz: bolivia; cairo: egypt; khartoum: sudan; addis
ababa: ethiopia; nairobi: kenya; abuja: nigeria; pretoria: southafrica; damascus: syria; beirut:
lebanon; baghdad: iraq; amman: jordan; riyadh: saudi; doha: qatar; abu dhabi: uae; sanaa: yemen;
houthi: yemen; ramallah: palestine; vatican: pope; holy see: pope; hezbollah: lebanon; capitol
hill: congress; oval office: president; number 10: uk primeminister
"""

_PEOPLES = """
finns: finland; swedes: sweden; danes: denmark; norse: norway; norwegians: norway; icelanders:
iceland; brits: uk; britons: uk; english: england; englishman: england; scots: scotland; welsh:
wales; irishman: ireland; frenchman: france; germans: germany; spaniard: spain; italians: italy;
poles: poland; turks: turkey; greeks: greece; serbs: serbia; croats: croatia; slovenes: slovenia;
czechs: czechia; slovaks: slovakia; hungarians: hungary; romanians: romania; bulgarians: bulgaria;
austrians: austria; belgians: belgium; dutchman: netherlands; balts: latvia estonia lithuania;
uzbek: uzbekistan; kazakhs: kazakhstan; georgians: georgia; armenians: armenia; azeri: azerbaijan;
iraqis: iraq; syrians: syria; egyptians: egypt; saudi arabian: saudi; pakistanis: pakistan;
indians: india; indonesians: indonesia; koreans: korea; aussie: australia; aussies: australia;
kiwi: new zealand; kiwis: new zealand; canuck: canada; canadians: canada; mexicans: mexico;
brazilians: brazil; argentines: argentina; argentinians: argentina; colombians: colombia; chileans:
chile; peruvians: peru; venezuelans: venezuela; cubans: cuba; nigerians: nigeria; moroccans:
morocco; south africans: south africa; filipinos: philippines; thais: thailand; islamic republic:
iran; islamic republic: iranian regime; hermit kingdom: korea; emerald isle: ireland; old firm:
scotland; eternal city: rome; stamford bridge: chelsea; old trafford: manchester united; anfield:
liverpool; etihad: manchester city; emirates stadium: arsenal; goodison: everton; nou camp:
barcelona; bernabeu: real madrid; allianz arena: bayern munich; san siro: milan
"""

_MONEY = """
zec: zcash; doge: dogecoin; link: chainlink; hype: hyperliquid; bnb: binance; trx: tron; uni:
uniswap; xmr: monero; ton: toncoin; arb: arbitrum; tsla: tesla; nvda: nvidia; aapl: apple; msft:
microsoft; googl: google; goog: google; amzn: amazon; pltr: palantir; hood: robinhood; nflx:
netflix; comex: gold silver; nymex: oil; coin: coinbase;
worth: marketcap; market value: marketcap; valued: marketcap; fortune:
trillionaire; trillion dollars: trillionaire; top of range: upper bound; top of the range: upper
bound; bottom of range: lower bound; target range: bound; crude: oil; wti: oil; black gold: oil;
fomc: fed; powell: fed; threadneedle: boe; bundesbank: ecb; lagarde: ecb; wall street: stock;
greenback: dollar; loonie: canada dollar; sterling: pound; bullion: gold; black gold: oil; t
note: treasury yield; gilt: uk yield; bund: germany yield; footsie: ftse; magnificent 7: stock;
chatgpt: openai; claude: anthropic; gemini: google; grok: xai; llama: meta; copilot: microsoft;
alphabet: google; facebook: meta; twitter: x; iphone: apple; windows: microsoft; starship:
spacex; falcon: spacex; starlink: spacex; cybertruck: tesla; satoshi: bitcoin; vitalik:
ethereum; saylor: strategy
"""

_CONTESTS = """
eurovision: song contest entry; public vote: televote; viewers: televote; juries: jury;
socceroos: australia; matildas: australia; wallabies: australia; three lions: england;
lionesses: england; les bleus: france; azzurri: italy; selecao: brazil; canarinho: brazil;
albiceleste: argentina; la roja: spain; oranje: netherlands; die mannschaft: germany; all
blacks: new zealand; springboks: south africa; el tri: mexico; usmnt: us; uswnt: us; red devils:
belgium; super eagles: nigeria; indomitable lions: cameroon; atlas lions: morocco; pharaohs:
egypt; samurai blue: japan; taegeuk warriors: korea; celeste: uruguay; cafeteros: colombia;
nati: switzerland; vatreni: croatia; proteas: south africa; black caps: new zealand; windies:
west indies; uconn: connecticut; huskies: connecticut; unc: north carolina; tar heels: north
carolina; blue devils: duke; bama: alabama; crimson tide: alabama; ole miss: mississippi; zags:
gonzaga; buckeyes: ohio state; wolverines: michigan; boilermakers: purdue; wildcats: arizona
kentucky; jayhawks: kansas; longhorns: texas; bulldogs: georgia; fighting irish: notre dame;
hoosiers: indiana; cougars: houston; gators: florida; volunteers: tennessee; yanks: yankees;
avs: avalanche; caps: capitals; habs: canadiens; leafs: maple leafs; pens: penguins; preds:
predators; cards: cardinals; phils: phillies; jays: blue jays; wolves: timberwolves; fins:
dolphins; bucs: buccaneers; jags: jaguars; hawks: seahawks; birds: eagles; goalscorer: goal
scorer top; top scorer: goal scorer; marksman: goal scorer; top flight: league; white house:
president; third: 3; second: 2; grosser: gross; box office hit: top gross; biggest hit: top
gross; televoters: televote; ladies: women; la primera: laliga; scudetto: serie a italy; golden
boot: top goal scorer; leading scorer: top goal scorer; bolts: tampa bay lightning; bundesliga:
germany; calder: rookie; run: leader; lead: leader; rule: leader; psg: paris germain; paris st
germain: psg; bayern: munich; inter: milan; barca: barcelona; atleti: atletico madrid; man utd:
manchester united; gunners: arsenal; reds: liverpool; toffees: everton; magpies: newcastle;
hammers: west ham; villans: aston villa; rossoneri: milan; juve: juventus; bvb: dortmund; los
blancos: real madrid; roy: rookie year; rookie of the year: roy; dpoy: defensive player year;
mip: improved player; sixth man: 6moy; mvp: valuable player; all england club: wimbledon; sw19:
wimbledon; flushing meadows: us open; melbourne park: australian open; augusta: masters; roland
garros: french open; lombardi trophy: superbowl; lombardi: superbowl nfl; larry o'brien:
nbafinals; commissioner's trophy: worldseries; jules rimet: worldcup; heisman: college football;
ballon d'or: soccer; cut down the nets: ncaa basketball champion; march madness: ncaa tournament
basketball; final four: ncaa tournament; big dance: ncaa tournament; ipl: indian premier league;
bbl: big bash league; psl: pakistan super league; ucl: championsleague; uel: europaleague;
premier league: epl england; bundesliga: germany; serie a: italy; la liga: spain; ligue 1:
france; eredivisie: netherlands; tour de france: cycling; yellow jersey: tour france; green
jacket: masters; kentucky derby: horse; champions league: uefa; academy award: oscar; motion
picture: movie; directing: director; director: directing; actor: acting; top 4: championsleague;
west: western; east: eastern; western: west; eastern: east; finals: final; american league: al;
national league: nl; nba: basketball; nfl: football; mlb: baseball; nhl: hockey; eurovision:
song; grammy: music; time magazine: time; billboard: chart; box office: gross; opening weekend:
gross; number one: top; number 1: top; leading: top; premiership: primeminister; presidency:
president; papacy: pope; governorship: governor; mayoralty: mayor
"""

_NATIONS = """
reggae boyz: jamaica; tartan army: scotland; bafana bafana: south africa; bafana: south africa;
black stars: ghana; teranga lions: senegal; lions of teranga: senegal; les elephants: ivory coast;
desert foxes: algeria; fennecs: algeria; carthage eagles: tunisia; simbas: congo; green falcons:
saudi; team melli: iran; lions of mesopotamia: iraq; white wolves: uzbekistan; la tri: ecuador;
vinotinto: venezuela; albirroja: paraguay; blanquirroja: peru; la verde: bolivia; ticos: costa
rica; catrachos: honduras; canaleros: panama; grenadiers: haiti; blue wave: curacao; blue sharks:
cape verde; les rouges: canada; all whites: new zealand; nationalelf: germany; squadra azzurra:
italy; elftal: netherlands; crescent stars: turkey; biale orly: poland; blagult: sweden; orlovi:
serbia; zbirna: ukraine; boys in green: ireland; canaries: brazil; samba boys: brazil; stars and
stripes: us; uncle sam: us; team usa: us; team gb: uk; roc: russia; cherry blossoms: japan; pumas:
argentina; shamrocks: ireland; men in blue: india; baggy greens: australia; tigers: bangladesh;
green shirts: pakistan; lankan lions: sri lanka
"""

_CLUBS = """
red devils: manchester united;
blues: chelsea; citizens: manchester city; cityzens: manchester city; sky blues: manchester city;
man city: manchester city; lilywhites: tottenham; cherries: bournemouth; seagulls: brighton; bees:
brentford; glaziers: crystal palace; palace: crystal palace; cottagers: fulham; foxes: leicester;
tractor boys: ipswich; black cats: sunderland; clarets: burnley; tricky trees: nottingham forest;
forest: nottingham; peacocks: leeds; hatters: luton; potters: stoke; boro: middlesbrough; baggies:
west brom; merengues: real madrid; blaugrana: barcelona; colchoneros: atletico madrid;
rojiblancos: atletico madrid; yellow submarine: villarreal; old lady: juventus; bianconeri:
juventus; nerazzurri: inter milan; giallorossi: roma; biancocelesti: lazio; partenopei: napoli; la
dea: atalanta; viola: fiorentina; bavarians: bayern munich; werkself: leverkusen; parisians: psg;
les parisiens: psg; paris sg: psg; olympique lyonnais: lyon; lyonnais: lyon; les gones: lyon;
phoceans: marseille; monegasques: monaco; losc: lille; dogues: lille; dragoes: porto; bhoys:
celtic; gers: rangers glasgow; sounders: seattle; galaxy: los angeles; herons: inter miami; cavs:
cavaliers; mavs: mavericks; sixers: 76ers; dubs: warriors; pels: pelicans; nugs: nuggets; grizz:
grizzlies; clips: clippers; okc: oklahoma city thunder; bronx bombers: yankees; amazins: mets;
bosox: red sox; chisox: white sox; halos: angels; friars: padres; stros: astros; nats: nationals;
brew crew: brewers; dbacks: diamondbacks; buccos: pirates; cubbies: cubs; redbirds: cardinals;
niners: 49ers; pats: patriots; big blue: giants; gang green: jets; phins: dolphins; vikes:
vikings; pack: packers; silver and black: raiders; dirty birds: falcons; america's team: cowboys;
canes: hurricanes; isles: islanders; nucks: canucks; sens: senators; wings: red
wings; knights: golden knights; jackets: blue jackets; silver arrows: mercedes; prancing horse:
ferrari; scuderia: ferrari
"""

_PRIZES = """
billboard 200: album 1; hot 100: song hit; bring down: cut; ballon dor: ballon d'or;
metro: metropolitan; european cup: championsleague; champions of europe: championsleague; european
champions: championsleague; kings of europe: championsleague; fall classic: worldseries; alcs:
american league series; nlcs: national league series; pennant: league series; american league
pennant: american league championship series; national league pennant: national league
championship series; superbowl: nfl league championship; nfl championship: superbowl; nfl
champion: superbowl; wealthiest: richest; planet: world; earth: world; globe: world; lead actor:
best actor; leading man: best actor; lead actress: best actress; best film: best picture; foreign
film: international feature; statuette: oscar; gramophone: grammy; hart: mvp nhl; vezina:
goaltender; norris: defenseman; art ross: point scorer; rocket richard: goal scorer; conn smythe:
playoff mvp; selke: defensive forward; lady byng: sportsmanship; cy young: pitcher; opoy:
offensive player year; oroy: offensive rookie year; droy: defensive rookie year; cpoy: comeback
player year; smoy: 6moy; in season tournament: nba cup; medal table: most medals; leading
marksman: top goal scorer; leading goalscorer: top goal scorer; most goals: top goal scorer; 007:
james bond; ladies: women; most streamed artist: top spotify artist; spotify number one artist:
top artist; winter games: winter olympics; summer games: olympics; champs:
champion; drivers title: driver champion; drivers crown: driver champion; constructors title:
constructor champion; stageplay: play; top seed: 1 seed
"""

_PEOPLE = """
mbs: mohammed bin salman; mbz: mohammed bin zayed; mtg: marjorie taylor greene; bibi: netanyahu;
abu mazen: abbas; amlo: lopez obrador; lula: luiz inacio; greek freak: giannis antetokounmpo;
wemby: wembanyama; king james: lebron james; luka: doncic; lebron: james; giannis: antetokounmpo;
steph: stephen curry; dame: damian lillard; cr7: cristiano ronaldo; leo messi: lionel messi;
carlitos: alcaraz; nole: djokovic; djoker: djokovic; zuck: zuckerberg; t swift: taylor swift; ye:
kanye; jensen huang: nvidia; tim cook: apple; satya nadella: microsoft; sundar pichai: google
alphabet; andy jassy: amazon; zuckerberg: meta; sam altman: openai; altman: openai; dario amodei:
anthropic; lisa su: amd; larry ellison: oracle; brian armstrong: coinbase; alex karp: palantir;
bob iger: disney; david ellison: paramount; sarandos: netflix; jerome powell: fed chair; christine
lagarde: ecb; bailey: boe; ueda: boj; supreme leader: iran leader; great satan: us
"""

_PARTIES = """
tories: conservative; lib dems: liberal democrat; snp: scottish national; afd: alternative
germany; cdu: christian democrat union; spd: social democrat; rassemblement national: national
rally; bjp: bharatiya janata; ldp: liberal democrat; kmt: kuomintang; workers party: pt; partido
dos trabalhadores: pt; five star: m5s; brothers of italy: fdi; fratelli d'italia: fdi; law and
justice: pis; fianna fail: ff; labour: labor; social democrats: spd; christian democrats: cdu;
grand old party: republican; gavel: speaker; speakership: speaker; banxico: bank mexico; riksbank:
bank sweden; norges bank: bank norway; selic: brazil rate; copom: bank brazil; rbi: bank india;
foggy bottom: state department; langley: cia; westminster: parliament; garden state: new jersey;
lone star state: texas; sunshine state: florida; peach state: georgia; keystone state:
pennsylvania; empire state: new york; buckeye state: ohio; granite state: new hampshire; silver
state: nevada; badger state: wisconsin; bay state: massachusetts; big apple: newyorkcity; windy
city: chicago; motor city: detroit; yellow metal: gold; white metal: silver; fear gauge: vix; fear
index: vix; nat gas: naturalgas; red planet: mars; ashore: landfall; cat: category; twister:
tornado; blaze: wildfire
"""

_DEEDS = """
market debut: ipo; stock exchange: ipo; list shares: ipo; listed: ipo; float: ipo; locked up:
prison; boot: out; axe: out; bow out: retire; call it a day: retire; hang up: retire; aisle:
marry; newborn: baby; birth: baby; child: baby; baby: child; face to face: meet; sit down: meet;
talks: meet; hold talks: meet; blows: clash; exchange fire: clash; trade fire: clash; hammer out:
deal; shake hands: deal; guns silent: ceasefire; cessation: ceasefire; stop fighting: ceasefire;
lay down arms: ceasefire; strike down: overturn; invalidate: overturn strike; throw out: overturn;
quash: overturn; nix: overturn strike; void: overturn strike; green light: approve; rubber stamp:
approve; sign off: approve; set foot: visit enter; cross border: enter; proclaim: declare; break
down: broken; collapse: broken; violate: broken; unravel: broken; abolish: end; dismantle: end;
scrap: end; go bust: bankrupt; go under: bankrupt; insolvent: bankrupt; hand over: give up;
surrender: give up; cede: give up; relinquish: give up; sail: send; transit: through; cap: limit;
ceiling: limit; curb: limit; limit: cap; restrict: limit; payrolls grow: add; payrolls rise: add;
payrolls increase: add; payrolls expand: add; obamacare: aca affordable care; aca: obamacare
affordable care; affordable care: obamacare aca; premium tax credits: subsidy; subsidies: credit tax
premium; dreamers: daca; obamacare subsidies: premium tax credits; extension: extend; big beautiful
bill: reconciliation
"""

_ACTS = """
collapse: fall; topple: fall; regime: government; deal: trade; trade: deal; bloc: seat; delegation:
seat; caucus: seat; lower house: chamber; lower house: house representatives; upper house: senate;
silverware: trophy; trophy: title; spearhead: lead; helm: leader; premises: office;
held: hold; sold: sell; bought: buy; sent: send; built: build; broke: break; broken: break; chosen:
choose; chose: choose; began: begin; begun: begin; found: find; gave: give; given: give; met: meet;
ran: run; shot: shoot; struck: strike; sworn: swear; withdrew: withdraw; withdrawn: withdraw; wrote:
write; flown: fly; flew: fly; beaten: beat; spoke: speak; spoken: speak; paid: pay; made: make;
atomic: nuclear; atom: nuclear; bomb: weapon; warhead: weapon; go off: detonate; sovereignty: annex;
vacant: vacancy; empty: vacancy; filled: vacancy; polls: election; relocate: move; moved: relocated;
abroad: country; overseas: abroad; game: match; match: game; fixture: game; airstrikes: strike;
bombing: strike; military action: strike; strikes: military action; carry on: continue; go on:
continue; envoy: diplomat; take part: attend; participate: attend; sit in: attend;
weapons: disarm; arms: disarm; lay down: disarm; give up weapons: disarm; bring charges: charge;
criminal charges: charge; prosecute: charge; troops: forces; soldiers: forces; army: forces;
take: capture; taken: capture; took: capture; fall: capture; conquer: capture; occupy: capture;
control: capture; set off: detonate; explode: detonate; blast: detonate; shooter: shooting;
shooting: shooter; opened fire: shooting; gunman: shooting; fetch: sell; go for: sell; auction:
sell; put out: release; come out: release; comes out: release; came out: release; launch:
release; debut: release; unveil: release; roll out: release; ship: release; show up: attend; be
there: attend; travel: visit; be present: attend; go to: visit; turn up: attend; pay back:
refund; repay: refund; reimburse: refund; money back: refund; order: force; ordered: force;
compel: force; require: force; declare: announce; declared: announce; proclaim: announce; say:
announce; over: end; ended: end; halt: end; cease: end; finish: end; conclude: end; lift: end;
lifted: end; scrap: end; repeal: end; pact: deal; treaty: deal; accord: deal; agreement: deal;
truce: ceasefire; peace deal: ceasefire; depose: out; topple: out; overthrow: out; fall from
power: out; dismiss: out; sack: out; fire: out; leave: out; step down: out; resign: out;
replaced: out; lose power: out; back: return; resume: return; restore: return; recover: return;
reopen: open; shipping: ship traffic; vessels: ship; shipping: traffic; invade: invasion; launch
an invasion: invade; attack: strike; hit: strike; bombard: strike; engage: engagement; clash:
engagement; fight: engagement; kill: die; death: die; deadly: die; approve: pass; enact: pass;
adopt: pass; vote through: pass; ratify: pass; confirm: approve; wed: marry; tie the knot:
marry; pick: nominee; choose: nominee; nominate: nominee; selected: nominee; standard bearer:
nominee; candidate: nominee; primary: nominee; advance: reach; qualify: reach; make it: reach;
get through: advance; win: champion; champion: win; lift: win; triumph: win; prevail: win;
crowned: win; take home: win; voted: win; named: win; best: top; top: best; hottest: record;
warmest record: hottest; all time high: record; peak: high; bottom: low; rally: rise; climb:
rise; surge: rise; slump: fall; plunge: fall; drop: fall; dip: fall; slide: fall; sink: fall;
exceed: above; surpass: above; top: above; under: below; beneath: below; region: oblast;
province: oblast; whole: all; entire: all; complete: all; fully: all; note: treasury; government
bond: treasury; benchmark: treasury; jail: prison; behind bars: prison; convict: guilty; guilty:
convict; acquit: not guilty; sentence: prison; cut: decrease; lower: decrease; trim: decrease;
hike: increase; raise: increase; pause: hold; steady: hold; unchanged: hold; leave unchanged:
hold; keep: hold; bank rate: rate; policy rate: rate; target range: rate; quarter point: 25 bps;
leader: lead; lead: leader; most lead: top; highest: most; first: 1; second: 2; third: 3; one
off one: time; single: one; strategic reserve: reserve; stockpile: reserve; merger: acquire;
takeover: acquire; buy: acquire; go public: ipo; list: ipo; float: ipo; bankruptcy: bankrupt;
collapse: bankrupt; default: default; spacewalk: eva; blast off: launch; lift off: launch; land:
landing; earthquake: quake; tremor: quake; storm: hurricane; cyclone: hurricane; hurricane:
storm; outbreak: pandemic; epidemic: pandemic; virus: pandemic; album: release; song: single;
movie: film; film: movie; sequel: movie
"""


_BLOCKS: Final = (
    _CAPITALS, _PEOPLES, _MONEY, _CONTESTS, _NATIONS, _CLUBS, _PRIZES, _PEOPLE, _PARTIES, _DEEDS,
    _ACTS,
)  # fmt: skip


def _words(entry: str) -> tuple[str, str]:
    left, _, right = entry.partition(":")
    return left.strip(), right.strip()


def _table() -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    """All known names that also stand for something else. Key: one of the terms of a name. Value:
    pairs of (all terms of the name, terms that it also stands for)."""
    table: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for block in _BLOCKS:
        for entry in " ".join(block.split()).split(";"):
            left, right = _words(entry)
            name, associated = _terms(left), _terms(right)
            if name and associated:
                table.setdefault(min(name), []).append((name, associated))
    return table


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text)) or frozenset(term(word) for word in text.split())


_NAMES: Final = _table()
_EVERYDAY: Final = frozenset(
    terms("senators hurricanes islanders capitals nationals heat wild stars flames devils rays")
)
"""Team nicknames that are also everyday words ("senators"). In a text they stand for the team only
if the team's city or its league is named, too."""
_IN_LEAGUE: Final = {
    "nbafin": "nba", "superbowl": "nfl", "worldseri": "mlb", "stanleycup": "nhl",
}  # fmt: skip


def nicknames(found: frozenset[str]) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The known names of at least two words that occur in a text. A name occurs if all its terms
    are among those of the text. Returns pairs: the terms of the name, and the terms that it also
    stands for (for a team's nickname: those of the team).

    found : the terms of the text
    """
    return tuple(
        (name, associated)
        for one in found
        for name, associated in _NAMES.get(one, ())
        if len(name) > 1 and name <= found
    )


@cached(16 << 20)
def associated_terms(found: frozenset[str]) -> frozenset[str]:
    """Some of the terms `found` are names. Returns the terms that these names imply ("moscow" adds
    "russia"), and the terms that those imply in turn. Terms in `found` are left out."""
    more = _direct_associations(found)
    return (more | _direct_associations(found | more)) - found if more else more


def _direct_associations(found: frozenset[str]) -> frozenset[str]:
    """The terms that a text does not have, but that the names in it also stand for: "holyrood" adds
    "scotland" and "parliament", and a team's nickname adds the team's city and league.

    A city adds its team only if the text names the league. A nickname that is an ordinary word
    counts only if the text names the team's city or the league, too.

    found : the terms of the text
    """
    more: set[str] = set()
    for one in found:
        for name, associated in _NAMES.get(one, ()):
            if name <= found:
                more |= associated
    leagues = {_IN_LEAGUE.get(t, t) for t in found} & TEAMS.keys()
    for league in leagues or TEAMS:
        for club in TEAMS[league]:
            if club.key in found:
                more |= club.city | club.nickname
            elif club.nickname <= found and (
                leagues or club.city & found or not club.nickname <= _EVERYDAY
            ):
                more |= club.city | {club.key, league}
            elif leagues and club.city <= found:
                more |= club.nickname | {club.key}
    return frozenset(more) - found
