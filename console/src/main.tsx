// The frame: pages by address, each but the first loaded when it is asked for.
import { render } from "preact";
import { LocationProvider, Route, Router, lazy, useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Health } from "./api/types.ts";
import { api } from "./lib/api.ts";
import { session } from "./lib/session.ts";
import { useStore } from "./lib/store.ts";
import { type Theme, setTheme, theme } from "./lib/theme.ts";
import * as format from "./lib/format.ts";
import { Search } from "./pages/search.tsx";
import { AutoIcon, Logo, MoonIcon, PersonIcon, SunIcon } from "./ui/icons.tsx";
import { Empty } from "./ui/parts.tsx";
import "./style/fonts.css";
import "./style/base.css";
import "./style/parts.css";

setTheme(theme());

const Market = lazy(() => import("./pages/market.tsx").then((page) => page.Market));
const Forecast = lazy(() => import("./pages/forecast.tsx").then((page) => page.Forecast));
const Watch = lazy(() => import("./pages/watch.tsx").then((page) => page.Watch));
const Volatility = lazy(() => import("./pages/volatility.tsx").then((page) => page.Volatility));
const Record = lazy(() => import("./pages/record.tsx").then((page) => page.Record));
const System = lazy(() => import("./pages/system.tsx").then((page) => page.System));
const Causes = lazy(() => import("./pages/causes.tsx").then((page) => page.Causes));
const SignIn = lazy(() => import("./pages/sign-in.tsx").then((page) => page.SignIn));
const EmbedMarket = lazy(() => import("./pages/embed.tsx").then((page) => page.EmbedMarket));
const EmbedForecast = lazy(() => import("./pages/embed.tsx").then((page) => page.EmbedForecast));

const PAGES = [
  { path: "/", title: "Search", also: "/market/" },
  { path: "/forecast", title: "Forecast" },
  { path: "/watch", title: "Watch" },
  { path: "/volatility", title: "Volatility" },
  { path: "/record", title: "Track record" },
  { path: "/causes", title: "Causes" },
  { path: "/system", title: "System" },
] as const;

function Nav() {
  const { path } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // Where the pages do not all fit, the one that is shown does.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (here) nav.current!.scrollLeft = here.offsetLeft - (nav.current!.clientWidth - here.clientWidth) / 2;
  }, [path]);
  return (
    <nav class="nav" aria-label="Pages" ref={nav}>
      {PAGES.map((page) => {
        const here = path === page.path || ("also" in page && path.startsWith(page.also)) || (page.path !== "/" && path.startsWith(`${page.path}/`));
        return <a key={page.path} href={page.path} aria-current={here ? "page" : undefined}>{page.title}</a>;
      })}
    </nav>
  );
}

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };

function ThemeButton() {
  const [chosen, set] = useState(theme());
  const names = { auto: "as the system", light: "light", dark: "dark" };
  return (
    <button class="button quiet small" type="button" title={`Colors: ${names[chosen]}`} aria-label={`Colors: ${names[chosen]}. Change`}
      onClick={() => { setTheme(NEXT[chosen]); set(NEXT[chosen]); }}>
      {chosen === "auto" ? <AutoIcon /> : chosen === "light" ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}

function Account() {
  const who = useStore(session);
  const [open, set] = useState(false);
  const { path, route } = useLocation();
  useEffect(() => set(false), [path]);
  if (!who) return null;
  if (!who.signed_in) return <a class="button small" href={`/sign-in?next=${encodeURIComponent(path)}`}>Sign in</a>;
  const leave = async () => {
    await api("/v1/session", { method: "DELETE" }).catch(() => {});
    await session.load();
    route("/");
  };
  return (
    <div class="menu" onKeyDown={(event) => event.key === "Escape" && set(false)}>
      <button class="button small" type="button" aria-expanded={open} onClick={() => set(!open)}>
        <PersonIcon />{who.account}
      </button>
      {open && (
        <div class="menu-list">
          <p class="small soft">Signed in by {who.by === "link" ? "the link of this machine" : "API key"}. May: {who.scopes.join(", ")}.</p>
          <button class="button small" type="button" onClick={() => void leave()}>Sign out</button>
        </div>
      )}
    </div>
  );
}

/** Says so when what is shown is invented or old. */
function Notice({ health }: { health: Health | null }) {
  if (!health) return null;
  if (health.status === "down") return <aside class="notice bad" aria-label="State of the service"><span role="alert">The service has no database at the moment: nothing new can be shown.</span></aside>;
  if (health.data === "sample") {
    return <aside class="notice" aria-label="State of the data"><b>Sample data.</b> These markets are invented<span class="notice-more">, so that there is something to try before the first sync or import</span>.</aside>;
  }
  const ages = Object.values(health.catalogue ?? {})
    .filter((entry): entry is { age_seconds: number | null } => typeof entry === "object" && entry !== null)
    .map((entry) => entry.age_seconds ?? 0);
  const oldest = Math.max(0, ...ages);
  if (oldest < 86_400) return null;
  return <aside class="notice" aria-label="State of the data"><b>Old data.</b> The newest prices of a venue are from {format.ago(new Date(Date.now() - oldest * 1000))}.</aside>;
}

function NotFound() {
  return <div class="page narrow"><Empty title="There is no such page">See <a href="/">the search</a>, or <a href="/docs/" target="_self">the documentation</a>.</Empty></div>;
}

function App() {
  const { path } = useLocation();
  const [health, setHealth] = useState<Health | null>(null);
  const embedded = path.startsWith("/embed/");
  useEffect(() => {
    void session.load();
    const look = () => void api<Health>("/v1/health").then(setHealth, () => {});
    look();
    const timer = setInterval(look, 60_000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    // "/" goes to the search box from anywhere.
    const key = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || at.closest("input, textarea, select, dialog")) return;
      const box = document.querySelector<HTMLInputElement>("#search-box");
      if (!box) return;
      event.preventDefault();
      box.focus();
      box.select();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const pages = (
    <Router onRouteChange={() => document.getElementById("main")?.focus({ preventScroll: true })}>
      <Route path="/" component={Search} />
      <Route path="/market/:id+" component={Market} />
      <Route path="/forecast" component={Forecast} />
      <Route path="/watch/:id?" component={Watch} />
      <Route path="/volatility" component={Volatility} />
      <Route path="/record" component={Record} />
      <Route path="/causes" component={Causes} />
      <Route path="/system" component={System} />
      <Route path="/sign-in" component={SignIn} />
      <Route path="/embed/market/:id+" component={EmbedMarket} />
      <Route path="/embed/forecast/:id" component={EmbedForecast} />
      <Route default component={NotFound} />
    </Router>
  );
  if (embedded) return <main id="main" tabIndex={-1}>{pages}</main>;
  return (
    <>
      <a class="skip" href="#main">Skip to the page</a>
      <header class="top">
        <div class="top-in">
          <a class="brand" href="/" style={{ color: "var(--accent)" }}><Logo /><span style={{ color: "var(--ink)" }}>Augury</span></a>
          <Nav />
          <div class="tools"><ThemeButton /><Account /></div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>{pages}</main>
      <footer class="foot">
        <div class="foot-in">
          <span>Augury {health?.version}</span>
          <a href="/docs/" target="_self">Documentation</a>
          <span>Press <kbd>/</kbd> to search</span>
        </div>
      </footer>
      {/* At the end, where its coming moves nothing; it stays in sight. */}
      <Notice health={health} />
    </>
  );
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<LocationProvider><App /></LocationProvider>, root);
