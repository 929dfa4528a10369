"""Names that are also ordinary words, or hold some: our own titles with them, by kind."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Final

TEAMS: Final = """Anaheim Ducks; Miami Heat; Utah Jazz; Orlando Magic; Oklahoma City Thunder;
Sacramento Kings; Minnesota Wild; Calgary Flames; San Jose Sharks; Dallas Stars; St. Louis Blues;
Seattle Kraken; Colorado Avalanche; Tampa Bay Lightning; Carolina Hurricanes; Florida Panthers;
Ottawa Senators; New Jersey Devils; New York Rangers; New York Islanders; Philadelphia Flyers;
Pittsburgh Penguins; Washington Capitals; Nashville Predators; Winnipeg Jets; Edmonton Oilers;
Buffalo Sabres; Boston Bruins; Detroit Red Wings; Vegas Golden Knights; Utah Mammoth; Phoenix Suns;
Brooklyn Nets; Atlanta Hawks; Milwaukee Bucks; Chicago Bulls; Indiana Pacers; Detroit Pistons;
Washington Wizards; Charlotte Hornets; Houston Rockets; San Antonio Spurs; Dallas Mavericks;
Denver Nuggets; Los Angeles Clippers; Golden State Warriors; Buffalo Bills; Cleveland Browns;
Chicago Bears; Detroit Lions; Green Bay Packers; New Orleans Saints; Los Angeles Chargers;
Kansas City Chiefs; Tennessee Titans; Indianapolis Colts; Baltimore Ravens; Pittsburgh Steelers;
Miami Dolphins; New England Patriots; New York Jets; New York Giants; Philadelphia Eagles;
Washington Commanders; Dallas Cowboys; Atlanta Falcons; Los Angeles Rams; Minnesota Vikings;
Minnesota Twins; Detroit Tigers; Cleveland Guardians; Chicago White Sox; Tampa Bay Rays;
Toronto Blue Jays; Houston Astros; Seattle Mariners; Los Angeles Angels; Washington Nationals;
Atlanta Braves; Chicago Cubs; Cincinnati Reds; Milwaukee Brewers; Pittsburgh Pirates;
Colorado Rockies; Atlanta Dream; Chicago Sky; Connecticut Sun; Indiana Fever; New York Liberty;
Las Vegas Aces; Dallas Wings; Phoenix Mercury; Seattle Storm; Los Angeles Sparks; Evil Geniuses;
Team Spirit; Team Liquid; Team Vitality; Nottingham Forest; Crystal Palace; Aston Villa; Reading;
Nice; Brest; Lens; Hull City; Oldham Athletic; Chennai Super Kings; Kolkata Knight Riders;
Lucknow Super Giants; Gujarat Titans; Melbourne Stars; Perth Scorchers; Brisbane Heat;
Wellington Phoenix; Portland Timbers; Colorado Rapids; Chicago Fire; Houston Dynamo; LA Galaxy;
New England Revolution; Philadelphia Union; Orlando Pride; Kansas City Current""".replace(
    "\n", " "
).split("; ")

PEOPLE: Final = """Will Smith; Will Ferrell; Will Hurd; Will Levis; Will Poulter; Theresa May;
Brian May; Elaine May; April Ross; June Carter; August Wilson; Mark Kelly; Rob Sand; Bill Gates;
Bill Pulte; Bill Burr; Grant Hill; Chase Oliver; Chance the Rapper; Hope Hicks; Faith Hill;
Sue Bird; Jimmy Butler; Stephen Miller; Jack White; Jack Black; Young Thug; Bad Bunny; Lil Wayne;
Future; Drake; Usher; Pink; Sting; Moby; Seal; Prince; Rush; Journey; Kiss; Genesis; Heart; Toto;
No Doubt; Fall Out Boy; Nothing But Thieves; Panic! at the Disco; Never Shout Never; The Who;
Imagine Dragons; Twenty One Pilots; Florence Pugh; Zach Cregger; Josh Safdie; Sean Baker;
Ocean Vuong; Frank Ocean; Miles Teller; Skip Marley; Drew Holcomb; Norman Powell; Deadmau5;
Lowell George; Ryan Close; Glenn Close; Del Close; Jordan Fail; Alan Missing; Kate Moss; Kate Bush;
George Bush; Mary Miss; Michael Strahan; Steve Lacy; Robert Downer; Ted Stopper; Dwight Howard;
Carrie Underwood; Blair Underwood; Cory Booker; Gavin Newsom; Rick Perry; Tim Walz; Jason Crow;
Sheryl Crow; Taylor Swift; Graham Platner; Mike Waltz; Rand Paul; Ron Wyden; Tom Cotton; Ted Cruz;
Penelope Cruz; Stormy Daniels; Lindsey Graham; Chip Roy; Nick Begich; Anna Paulina Luna;
Pat Cash; Johnny Cash; Tommy Cash; Holly Holm; Sean Strickland; Paddy Pimblett""".replace(
    "\n", " "
).split("; ")

WORKS: Final = """Without Further Ado; Never Let Me Go; Never Enough; No Other Land; No Other Choice;
No Country for Old Men; No Time to Die; Nobody 2; Nobody Wants This; Gone Girl; Lost;
The Leftovers; The Holdovers; Left Behind; Die Hard; Live and Let Die; Don't Look Up; Don't Breathe;
Anyone But You; Someone Like You; Wicked: For Good; Sinners; Weapons; The Long Walk;
One Battle After Another; It Was Just an Accident; If I Had Legs I'd Kick You; The Fall Guy;
Still Alice; Stay; Hold On; Lose Yourself; Losing My Religion; Lose Control; Not Like Us;
Die With a Smile; Never Gonna Give You Up; That Wasn't a Dream; You Can't Always Get What You Want;
I Can't Get No Satisfaction; Nothing Compares 2 U; I Will Survive; Stayin' Alive;
Escape from New York; Miss Sloane; Driving Miss Daisy; Little Miss Sunshine; Miss Congeniality;
Avoid the Noid; How to Lose a Guy in 10 Days; Paradise Lost; Raiders of the Lost Ark;
Elsewhere; Something Else; The Others; The Other Guys; None Shall Pass; The Missing; Missing You;
The Dropout; The Outsider; Outside In; Without Remorse; Rebel Without a Cause; Unforgiven;
Unbroken; Uncut Gems; Unstoppable; Not Okay; Nope; Keep Calm; Keep the Faith;
To Have and Have Not""".replace("\n", " ").split("; ")

EVENTS: Final = """Miss Universe; Miss France; Miss World; Miss America; Miss Earth; March for Life;
March Madness; May Day Parade; No Kings Day; Never Again March; Just Stop Oil Rally;
Black Lives Matter Rally; Burning Man; Fall Classic; Preakness Stakes; Breeders' Cup;
The Masters; Presidents Cup; Spring Festival; Summer Slam; Royal Rumble; Money in the Bank;
Survivor Series; No Way Out; Last Man Standing; Best Engineered Album, Non-Classical;
Best Non-English Film; Non-League Cup; Best Fall Show; Best Drop""".replace("\n", " ").split("; ")

FIRMS: Final = """Beyond Meat; Under Armour; Next Bridge; Block; Stripe; Discord; Figma; Target;
Gap; Best Buy; Dollar General; Chime; Circle; Bullish; Gemini; Kraken; Ripple; Polygon; Optimism;
Render; Monad; Plasma; Aster; Backpack; Base; Limitless; UnitedHealth; Unilever; UniCredit;
Lucid; Rivian; Opendoor; Grab; Lift Off Mobile; Shake Shack; Chewy; Snowflake; Palantir; Slack;
Snap; Unity; Zoom; Square; Doctors Without Borders; Reporters Without Borders; Leave Means Leave;
Keep Labs; Hold Fast; Stop and Shop; Not Company; NotCo; Drop Technologies; Skip the Dishes;
Lyft""".replace("\n", " ").split("; ")

TEMPLATES: Final = {
    "team": ("Will the {} win the 2027 championship?", TEAMS),
    "person": ("Will {} win the 2027 Mark Twain Prize?", PEOPLE),
    "leaver": ("Will {} visit Iceland by June 30, 2027?", PEOPLE),
    "work": ('Will "{}" win Best Picture at the 2027 Silver Awards?', WORKS),
    "bare work": ("Will {} gross more than $300 million by June 30, 2027?", WORKS),
    "event": ("Will Peru win the 2027 {}?", EVENTS),
    "held": ("Will the 2027 {} be held in Lima?", EVENTS),
    "firm": ("Will {} announce a merger by June 30, 2027?", FIRMS),
}
"""Kind, our own title, the names that go into it."""

NAMES: Final = sorted({*TEAMS, *PEOPLE, *WORKS, *EVENTS, *FIRMS})


def titles() -> list[tuple[str, str, str]]:
    """Kind, name and title of each."""
    return [
        (kind, name, template.format(name))
        for kind, (template, names) in TEMPLATES.items()
        for name in names
    ]
