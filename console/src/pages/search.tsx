// Search: what is typed is answered at once, in four columns by relation, each row with its price.
import { useLocation } from "preact-iso";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Dimension, MarketList, Row, SearchAnswer } from "../api/types.ts";
import { api, query as params } from "../lib/api.ts";
import { tableOf } from "../lib/csv.ts";
import * as format from "../lib/format.ts";
import { fileName, save } from "../lib/save.ts";
import { session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { useLoad, useRested, useTitle } from "../lib/use.ts";
import { SearchIcon } from "../ui/icons.tsx";
import { Data, Empty, Failure, Loading, MarketRow, Tabs } from "../ui/parts.tsx";

const DIMENSIONS: { id: Dimension; title: string; about: string }[] = [
  { id: "direct", title: "On the question", about: "Markets that ask this, or almost this." },
  { id: "upstream", title: "What drives it", about: "Markets whose outcome would move this one." },
  { id: "downstream", title: "What follows", about: "Markets that this one would move." },
  { id: "correlated", title: "Moves with it", about: "Markets with the same causes, or prices that move together." },
];
const EXAMPLES = ["Fed rate cut", "US recession", "Bitcoin above $150,000", "Ukraine ceasefire", "House control"];
const KEYED_REST = 20;
const ANONYMOUS_REST = 600;

interface Facets {
  venue: string;
  status: string;
  year: string;
  volume: string;
  category: string;
}

const passes = (row: Row, facets: Facets): boolean =>
  (!facets.venue || row.platform === facets.venue) &&
  (!facets.category || row.category === facets.category) &&
  (!facets.year || row.closes_at?.slice(0, 4) === facets.year) &&
  (!facets.volume || (row.volume ?? 0) >= Number(facets.volume));

/** The categories among rows with the number of each, the most frequent first. */
export function counted(rows: Row[]): [string, number][] {
  const found = new Map<string, number>();
  for (const { category } of rows) if (category) found.set(category, (found.get(category) ?? 0) + 1);
  return [...found].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

/** Rows with their twins of the other venue folded into the better one. */
export function folded(rows: Row[]): { row: Row; twins: Row[] }[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  const taken = new Set<string>();
  const out: { row: Row; twins: Row[] }[] = [];
  for (const row of rows) {
    if (taken.has(row.id)) continue;
    const twins = (row.twin_ids ?? []).flatMap((id) => found.get(id) ?? []).filter((twin) => !taken.has(twin.id));
    for (const one of [row, ...twins]) taken.add(one.id);
    out.push({ row, twins });
  }
  return out;
}

export function Search() {
  const { query, route } = useLocation();
  const who = useStore(session);
  const [typed, type] = useState(query["q"] ?? "");
  const asked = useRested(typed.trim(), who?.signed_in ? KEYED_REST : ANONYMOUS_REST);
  const tab = (query["tab"] as Dimension | undefined) ?? "direct";
  const facets: Facets = {
    venue: query["venue"] ?? "", status: query["status"] ?? "active", year: query["year"] ?? "", volume: query["volume"] ?? "",
    category: query["category"] ?? "",
  };
  const box = useRef<HTMLInputElement>(null);
  useTitle(asked ? `${asked} · Search` : "Search");
  // The address changes with the page (a link, the back button) ...
  const shown = useRef(query["q"] ?? "");
  useEffect(() => {
    if ((query["q"] ?? "") !== shown.current) type((shown.current = query["q"] ?? ""));
  }, [query["q"]]);
  const go = (changes: Record<string, string>) => {
    const next = { q: asked, ...facets, tab, ...changes };
    shown.current = next.q;
    route(`/${params({ ...next, status: next.status === "active" ? "" : next.status || "any", tab: next.tab === "direct" ? "" : next.tab })}`, true);
  };
  // ... and the page changes the address.
  useEffect(() => {
    if (asked !== shown.current) go({ q: asked });
  }, [asked]);
  const status = facets.status === "any" ? null : facets.status;
  const found = useLoad<SearchAnswer>(
    asked && who
      ? (signal) => api("/v1/search", {
          signal,
          body: { query: asked.slice(0, 500), top_k_per_dimension: Math.min(30, who.top_k), fold: true, ...(status ? { filters: { status } } : {}) },
        })
      : null,
    [asked, status, who?.top_k],
  );
  const move = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].filter((row) => row.offsetParent !== null);
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (at < 0 && document.activeElement !== box.current) return;
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? box.current : rows[Math.min(next, rows.length - 1)])?.focus();
  };
  const input = (
    <form key="box" class="search-box" role="search" onSubmit={(event) => { event.preventDefault(); go({ q: typed.trim() }); }}>
      <SearchIcon />
      <label class="visually-hidden" for="search-box">Search markets</label>
      <input id="search-box" ref={box} type="search" autocomplete="off" spellcheck={false} maxLength={500} value={typed}
        placeholder="A question, a topic, a name" onInput={(event) => type(event.currentTarget.value)} />
      <span class="hint" aria-hidden="true"><kbd>/</kbd></span>
    </form>
  );
  return (
    <div class="page" onKeyDown={move}>
      {/* One place for the box in both states: it must not lose the keys that come meanwhile. */}
      <div class={typed.trim() ? "" : "hero"}>
        <h1 key="title" class={typed.trim() ? "visually-hidden" : ""}>{typed.trim() ? "Search" : "What do the markets say?"}</h1>
        {!typed.trim() && <p key="lead" class="lead">Polymarket and Kalshi in one place: the markets on a question, what drives it, what follows from it, and what moves with it.</p>}
        {input}
        {!typed.trim() && (
          <div key="examples" class="examples">
            {EXAMPLES.map((example) => <a class="example" key={example} href={`/${params({ q: example })}`}>{example}</a>)}
          </div>
        )}
      </div>
      {typed.trim()
        ? <Results answer={found.data} error={found.error} loading={found.loading || !who || found.data?.query !== typed.trim()} retry={found.reload} facets={facets} tab={tab} go={go} />
        : <Busiest />}
    </div>
  );
}

function Results({ answer, error, loading, retry, facets, tab, go }: {
  answer: SearchAnswer | undefined; error: import("../lib/api.ts").ApiError | undefined; loading: boolean; retry: () => void;
  facets: Facets; tab: Dimension; go: (changes: Record<string, string>) => void;
}) {
  const all = useMemo(() => [...new Map(Object.values(answer?.results ?? {}).flat().map((row) => [row.id, row])).values()], [answer]);
  const years = useMemo(() => [...new Set(all.flatMap((row) => row.closes_at?.slice(0, 4) ?? []))].sort(), [all]);
  const categories = useMemo(() => counted(all), [all]);
  const kept = useMemo(
    () => Object.fromEntries(DIMENSIONS.map(({ id }) => [id, folded((answer?.results[id] ?? []).filter((row) => passes(row, facets)))])),
    [answer, facets.venue, facets.year, facets.volume, facets.category],
  ) as Record<Dimension, { row: Row; twins: Row[] }[]>;
  const choice = (name: keyof Facets, label: string, options: [string, string][]) => (
    <label>
      <span class="visually-hidden">{label}</span>
      <select value={facets[name]} aria-label={label} onChange={(event) => go({ [name]: event.currentTarget.value })}>
        {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
  if (error && !answer) return <Failure error={error} retry={retry} />;
  const narrowed = facets.venue || facets.category || facets.year || facets.volume;
  const total = Object.values(kept).reduce((sum, rows) => sum + rows.length, 0);
  return (
    <>
      <div class="facets">
        {choice("venue", "Venue", [["", "Both venues"], ["polymarket", "Polymarket"], ["kalshi", "Kalshi"]])}
        {choice("status", "Status", [["active", "Active"], ["closed", "Closed"], ["resolved", "Resolved"], ["any", "Any status"]])}
        {(categories.length > 1 || facets.category) && choice("category", "Category", [["", "Any category"], ...categories.map(([name, n]): [string, string] => [name, `${name} (${n})`])])}
        {years.length > 0 && choice("year", "Closing year", [["", "Closes any year"], ...years.map((y) => [y, `Closes ${y}`] as [string, string])])}
        {choice("volume", "Least volume", [["", "Any volume"], ["10000", "10k or more"], ["100000", "100k or more"], ["1000000", "1M or more"]])}
        <span class="soft small" role="status" data-answered={loading ? undefined : answer?.query}>
          {answer ? `${total} ${total === 1 ? "market" : "markets"} in ${answer.latency_ms} ms` : loading ? "Searching…" : ""}
        </span>
        {answer && total > 0 && <Keep answer={answer} kept={kept} />}
      </div>
      {error && <Failure error={error} retry={retry} />}
      <div class="only-narrow">
        <Tabs label="Relation" panel="results" chosen={tab} choose={(id) => go({ tab: id })}
          tabs={DIMENSIONS.map(({ id, title }) => ({ id, title: <>{title} <span class="soft">{kept[id].length}</span></> }))} />
      </div>
      <div id="results" aria-busy={loading}>
      {!answer ? <Loading what="the markets" lines={6} /> : total === 0 ? (
        <Empty title="No market found">{narrowed && <><a href={`/${params({ q: answer.query, status: facets.status === "active" ? "" : facets.status })}`}>Drop the filters</a> on venue, category, year and volume, or </>}{narrowed ? "try" : "Try"} fewer words, another status, or ask for <a href={`/forecast?q=${encodeURIComponent(answer.query)}`}>a forecast</a>: it looks further.</Empty>
      ) : (
        <div class="columns tabbed">
          {DIMENSIONS.map(({ id, title, about }) => (
            <section class={`column ${id === tab ? "" : "wide-only"}`} key={id} aria-labelledby={`head-${id}`}>
              <header><h2 id={`head-${id}`}>{title}</h2><span class="count">{kept[id].length}</span></header>
              <p>{about}</p>
              {kept[id].length ? <Rows key={answer.query} rows={kept[id]} reasons={id !== "direct"} /> : <p class="soft small">None found.</p>}
            </section>
          ))}
        </div>
      )}
      </div>
    </>
  );
}

const COLUMNS = [
  "relation", "id", "platform", "question", "status", "outcome", "price", "price_as_of", "closes_at", "volume", "category", "stale", "origin", "reason",
];

/** The rows that are shown, twins among them, as a table. */
export function tableOfResults(kept: Record<Dimension, { row: Row; twins: Row[] }[]>): string {
  return tableOf(COLUMNS, DIMENSIONS.flatMap(({ id }) => kept[id].flatMap(({ row, twins }) => [row, ...twins]).map((row) => {
    const lead = format.leading(row.current_prices, row.outcomes);
    return {
      relation: id, id: row.id, platform: row.platform, question: row.question, status: row.status, outcome: lead?.outcome, price: lead?.price,
      price_as_of: row.price_as_of, closes_at: row.closes_at, volume: row.volume, category: row.category, stale: row.stale, origin: row.origin,
      reason: row.reason,
    };
  })));
}

/** The same for programs: the answer as it came, and what is shown as a table. A search is no address to link to. */
function Keep({ answer, kept }: { answer: SearchAnswer; kept: Record<Dimension, { row: Row; twins: Row[] }[]> }) {
  const name = fileName(answer.query) || "search";
  return (
    <span class="small soft rowline">
      <span>The same data:</span>
      <button class="link-button" type="button" onClick={() => save(new Blob([JSON.stringify(answer)], { type: "application/json" }), `${name}.json`)}>JSON</button>
      <button class="link-button" type="button" onClick={() => save(new Blob([tableOfResults(kept)], { type: "text/csv" }), `${name}.csv`)}>CSV</button>
    </span>
  );
}

const SHOWN = 10;

/** The best rows of a relation, and the rest when it is asked for. */
function Rows({ rows, reasons }: { rows: { row: Row; twins: Row[] }[]; reasons: boolean }) {
  const [all, show] = useState(false);
  return (
    <>
      <ul class="rows">
        {(all ? rows : rows.slice(0, SHOWN)).map(({ row, twins }) => <MarketRow key={row.id} row={row} twins={twins} reason={reasons ? row.reason : null} />)}
      </ul>
      {!all && rows.length > SHOWN && <button class="button small more" type="button" onClick={() => show(true)}>Show {rows.length - SHOWN} more</button>}
    </>
  );
}

function Busiest() {
  const address = "/v1/markets?status=active&sort=volume&limit=12";
  const found = useLoad<MarketList>((signal) => api(address, { signal }), []);
  return (
    <section aria-labelledby="busiest">
      <div class="rowline between" style={{ marginBottom: "0.8rem" }}>
        <h2 id="busiest">Most traded</h2>
        <Data json={address} csv="/v1/markets?status=active&sort=volume&limit=200&format=csv" />
      </div>
      {found.error ? <Failure error={found.error} retry={found.reload} />
        : !found.data ? <Loading what="markets" />
        : found.data.items.length === 0 ? <Empty title="The catalogue is empty">It fills with the first sync or <code>./augury import FILE</code>.</Empty>
        : <ul class="grid-list">{found.data.items.map((row) => <MarketRow key={row.id} row={row} />)}</ul>}
    </section>
  );
}
