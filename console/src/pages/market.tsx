// Market: the question, its price over time, its rules, the others of its event, and what is related.
import { useLocation } from "preact-iso";
import { useMemo, useState } from "preact/hooks";
import type { Dimension, MarketDetail, MarketHistory, MarketRecord, RelatedMarket, SearchAnswer } from "../api/types.ts";
import { api, query } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { useLoad, useTitle } from "../lib/use.ts";
import { Bars } from "../ui/bars.tsx";
import { ByWhen, Chart, type Line, type Mark } from "../ui/chart.tsx";
import { Ago, Copy, Data, Dialog, Empty, Failure, Loading, MarketRow, Marks, Segments, Venue, When, isStale, marketPath } from "../ui/parts.tsx";
import { volumeIn } from "../ui/volume.ts";
import { WatchDialog } from "../ui/watch.tsx";

type Range = "day" | "week" | "month" | "year" | "all";
const RANGES: { id: Range; title: string; days: number; minutes: number }[] = [
  { id: "day", title: "1 day", days: 1, minutes: 5 },
  { id: "week", title: "1 week", days: 7, minutes: 60 },
  { id: "month", title: "1 month", days: 30, minutes: 60 },
  { id: "year", title: "1 year", days: 365, minutes: 1440 },
  { id: "all", title: "All", days: 365 * 6, minutes: 1440 },
];
const SHOWN = 6;

export const historyPath = (id: string, range: Range, end: string | null): string => {
  const { days, minutes } = RANGES.find((one) => one.id === range)!;
  const until = end ? Date.parse(end) + 1000 : Date.now();
  const start = new Date(until - days * format.DAY).toISOString();
  return `/v1${marketPath(id).replace("/market/", "/markets/")}/history${query({ start, end: end ? new Date(until).toISOString() : null, interval_minutes: minutes })}`;
};

export const linesOf = (history: MarketHistory): Line[] => {
  const two = history.series.length === 2;
  return history.series
    .slice(0, two ? 1 : SHOWN)
    .map((series) => ({
      name: series.outcome,
      steps: true,
      points: standing(series.points.map((point) => ({ time: Date.parse(point.timestamp) / 1000, value: point.probability }))),
    }));
};

/** Seconds that a recorded price stands for without a new one: an unchanged price is recorded daily. */
const STANDS = 26 * 3600;

/** Intervals without news are no gaps while the last price still stands. */
export function standing(points: Line["points"]): Line["points"] {
  const out: Line["points"] = [];
  let last = -Infinity;
  for (const point of points) {
    if (point.value !== null) last = point.time;
    else if (point.time - last <= STANDS || out.at(-1)?.value === null) continue;
    out.push(point);
  }
  return out;
}

/** The same contract on the other venue. `inverted`: it asks the opposite, so that its No is our Yes. */
interface Twin {
  market: MarketRecord;
  price: number | null;
  inverted: boolean;
}

/** A linked market is the same contract or its exact complement: the nearer reading is the right one. */
export const isInverted = (mine: number | null | undefined, theirs: number | null | undefined): boolean =>
  mine != null && theirs != null && Math.abs(1 - theirs - mine) + 0.05 < Math.abs(theirs - mine);

function useTwins(market: MarketRecord): Twin[] {
  const mine = format.leading(market.current_prices, market.outcomes)?.price;
  const ids = market.linked_market_ids.slice(0, 2);
  const found = useLoad<MarketDetail[]>(
    ids.length ? (signal) => Promise.all(ids.map((id) => api<MarketDetail>(`/v1${marketPath(id).replace("/market/", "/markets/")}`, { signal }))) : null,
    [ids.join()],
  );
  return useMemo(() => (found.data ?? []).map((detail) => {
    const theirs = format.leading(detail.market.current_prices, detail.market.outcomes)?.price ?? null;
    const inverted = isInverted(mine, theirs);
    return { market: detail.market, inverted, price: theirs !== null && inverted ? 1 - theirs : theirs };
  }), [found.data, mine]);
}

/** What happened to a market itself, to stand on its chart. */
const marksOf = (market: MarketRecord): Mark[] =>
  ([["opened", market.created_at], ["closed", market.closes_at], ["resolved", market.resolved_at]] as const).flatMap(([label, at]) =>
    at && Date.parse(at) <= Date.now() ? [{ time: Date.parse(at) / 1000, label: label === "resolved" && market.resolution ? `resolved: ${market.resolution}` : label }] : []);

export function PriceChart({ id, end, market, twins = [] }: { id: string; end: string | null; market?: MarketRecord; twins?: Twin[] }) {
  const at = useLocation();
  const range = RANGES.find((one) => one.id === at.query["range"])?.id ?? "month";
  const choose = (chosen: Range) => at.route(`${at.path}${query({ ...at.query, range: chosen === "month" ? "" : chosen })}`, true);
  const address = useMemo(() => historyPath(id, range, end), [id, range, end]);
  const history = useLoad<MarketHistory>((signal) => api(address, { signal }), [address]);
  const theirs = useLoad<MarketHistory[]>(
    twins.length ? (signal) => Promise.all(twins.map((twin) => api<MarketHistory>(historyPath(twin.market.id, range, end), { signal }))) : null,
    [address, twins],
  );
  const lines = useMemo(() => {
    if (!history.data) return [];
    const own = linesOf(history.data);
    const others = (theirs.data ?? []).flatMap((found, n) => {
      const twin = twins[n];
      const line = linesOf(found)[0];
      if (own.length !== 1 || !twin || !line?.points.some((point) => point.value !== null) || twin.market.id !== found.market.id) return [];
      const points = twin.inverted ? line.points.map((point) => ({ ...point, value: point.value === null ? null : 1 - point.value })) : line.points;
      return [{ ...line, points, dash: true, name: `${format.venue(twin.market.platform)}${twin.inverted ? ", turned round" : ""}` }];
    });
    if (!others.length) return own;
    return [{ ...own[0]!, name: `${format.venue(history.data.market.platform)} (this market)` }, ...others];
  }, [history.data, theirs.data, twins]);
  const marks = useMemo(() => (market ? marksOf(market) : []), [market]);
  const volume = useMemo(() => history.data && volumeIn(history.data), [history.data]);
  const known = lines.flatMap((line) => line.points.filter((point) => point.value !== null));
  return (
    <div class="stack" style={{ gap: "0.7rem" }}>
      <div class="rowline between">
        <Segments label="Range" options={RANGES} chosen={range} choose={choose} />
        <Data json={address} csv={`${address}&format=csv`} />
      </div>
      <div class="hold-chart">
      {history.error ? <Failure error={history.error} retry={history.reload} />
        : !history.data ? <Loading what="prices" lines={6} />
        : !known.length ? <Empty title="No price is recorded in this window">{range === "all" ? "Prices are recorded from the moment a market is followed." : "Choose a longer one."}</Empty>
        : known.length === 1 ? <Empty title={`One price is recorded in this window: ${format.percent(known[0]!.value)}`}>It is of {format.date(new Date(known[0]!.time * 1000))}. {range !== "all" && "Choose a longer one for more."}</Empty>
        : <Chart lines={lines} marks={marks} volume={volume} label={`Price of ${lines.map((line) => line.name).join(", ")} over ${RANGES.find((one) => one.id === range)!.title}`} />}
      </div>
      {market && known.length > 1 && volume?.bars.length === 0 && <p class="small soft">Volume over time is recorded from the first sync on; none is known in this window.</p>}
    </div>
  );
}

export function Market({ id: raw }: { id: string }) {
  const id = decodeURIComponent(raw);
  const found = useLoad<MarketDetail>((signal) => api(`/v1${marketPath(id).replace("/market/", "/markets/")}`, { signal }), [id]);
  useTitle(found.data?.market.question ?? "Market");
  if (found.error) return <div class="page narrow"><h1 class="visually-hidden">Market</h1><Failure error={found.error} retry={found.reload} /></div>;
  if (!found.data || found.data.market.id !== id && !found.data.market.id.includes(":")) return <div class="page"><h1 class="visually-hidden">Market</h1><Loading what="the market" lines={8} /></div>;
  return <Shown detail={found.data} />;
}

function Shown({ detail }: { detail: MarketDetail }) {
  const { market } = detail;
  const who = useStore(session);
  const [watching, watch] = useState(false);
  const [embedding, embed] = useState(false);
  const stale = isStale(market as never);
  const lead = format.leading(market.current_prices, market.outcomes);
  const twins = useTwins(market);
  const url = safeUrl(market.platform_url);
  const spread = market.best_bid != null && market.best_ask != null ? market.best_ask - market.best_bid : null;
  const contenders = market.outcomes.length > 2
    ? market.outcomes.map((name) => ({ label: name, value: market.current_prices?.[name] ?? null })).sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
    : null;
  return (
    <div class="page">
      <div class="head">
        <div class="rowline">
          <Venue platform={market.platform} />
          <Marks row={market as never} />
          {market.category && <span class="chip">{market.category}</span>}
        </div>
        <h1>{market.question}</h1>
      </div>
      <div class="two">
        <div class="stack">
          <section class="card stack" aria-label="Price">
            <div class="rowline between">
              <div>
                <div class="big">
                  <span class="big-n">{format.percent(lead?.price)}</span>
                  <span class="soft">{lead ? lead.outcome : "no quote"}</span>
                </div>
                <p class={`small ${stale ? "price-age stale" : "soft"}`}>
                  <Ago at={market.price_as_of} prefix="Price of " />
                  {spread !== null && `, bid ${format.percent(market.best_bid)}, ask ${format.percent(market.best_ask)}`}
                  {stale && ". It is too old to rely on."}
                </p>
              </div>
              <div class="rowline">
                <a class="button" href={`/forecast${query({ q: market.question })}`}>Forecast</a>
                <button class="button" type="button" onClick={() => watch(true)}>Watch</button>
                <button class="button" type="button" onClick={() => embed(true)}>Embed</button>
              </div>
            </div>
            <PriceChart id={market.id} end={market.status === "active" && !stale ? null : market.price_as_of} market={market} twins={twins} />
          </section>
          <section class="card" aria-label="Rules">
            <h2>Rules of resolution</h2>
            {market.description ? <p class="rules-text">{market.description}</p> : <p class="soft">The venue gives no rules for this market.</p>}
          </section>
          <Related question={market.question} id={market.id} />
        </div>
        <div class="stack">
          <section class="card" aria-label="Facts">
            <dl class="facts">
              <div><dt>Status</dt><dd>{market.status}{market.resolution && `: ${market.resolution}`}</dd></div>
              {market.closes_at && <div><dt>{Date.parse(market.closes_at) > Date.now() ? "Closes" : "Closed"}</dt><dd><When at={market.closes_at} day /></dd></div>}
              <div><dt>Volume</dt><dd>{format.volumeOf(market.volume, market.platform)}</dd></div>
              {market.volume_24h != null && <div><dt>Last 24 h</dt><dd>{format.amountOf(market.volume_24h, market.platform)}</dd></div>}
              {market.liquidity != null && <div><dt>Liquidity</dt><dd>${format.short(market.liquidity)}</dd></div>}
              <div><dt>Id</dt><dd><code>{market.id}</code></dd></div>
            </dl>
            <div class="rowline" style={{ marginTop: "0.9rem" }}>
              {url && <a class="button small" href={url} target="_blank" rel="noopener noreferrer nofollow">Open at {format.venue(market.platform)}</a>}
              <Copy text={() => location.href}>Copy link</Copy>
            </div>
          </section>
          {contenders && <section class="card" aria-label="Outcomes"><h2>Outcomes</h2><Bars items={contenders} /></section>}
          {twins.length > 0 && (
            <section class="card" aria-label="Same contract elsewhere">
              <h2>Same contract elsewhere</h2>
              <ul class="rows">{twins.map((twin) => <MarketRow key={twin.market.id} row={twin.market as never} reason={apart(market, lead?.price, twin)} />)}</ul>
            </section>
          )}
          <Siblings detail={detail} />
          <Data json={`/v1${marketPath(market.id).replace("/market/", "/markets/")}`} />
        </div>
      </div>
      {watching && <WatchDialog market={market} signedIn={!!who?.signed_in} close={() => watch(false)} />}
      <Dialog title="Embed this market" open={embedding} close={() => embed(false)}>
        <p>Put this where the chart should stand. The operator allows pages to show it by <code>AUGURY_EMBED_ORIGINS</code>.</p>
        <code class="secret">{`<iframe src="${location.origin}/embed${marketPath(market.id)}" width="600" height="420" title="Augury"></iframe>`}</code>
      </Dialog>
    </div>
  );
}

const apart = (market: MarketRecord, mine: number | null | undefined, twin: Twin): string | null =>
  mine == null || twin.price === null || !format.together(market.price_as_of, twin.market.price_as_of) ? null
    : `${twin.inverted ? "It asks the opposite: turned round it is" : "It is"} ${format.points(twin.price - mine)} from this one.`;

const safeUrl = format.safeUrl;
const KINDS: Record<string, string> = {
  threshold_ladder: "Thresholds of the same event",
  sum_to_one: "Outcomes of the same event",
  winner_take_all: "Contenders",
};

function Siblings({ detail }: { detail: MarketDetail }) {
  const [all, show] = useState(false);
  const same = detail.related.filter((one) => one.relation === "same_event");
  const others = detail.related.filter((one) => one.relation !== "same_event");
  if (!detail.related.length) return null;
  const own: RelatedMarket = { ...(detail.market as unknown as RelatedMarket), relation: "same_event" };
  const group = same.length ? [own, ...same] : [];
  const labels = format.distinct(group.map((one) => one.question));
  const ladder = detail.market.market_type === "threshold_ladder";
  const byDate = ladder && new Set(group.map((one) => one.closes_at?.slice(0, 10))).size === group.length && group.length > 1;
  const items = group.map((one, n) => ({
    label: byDate && one.closes_at ? `by ${format.date(one.closes_at)}` : labels[n]!,
    value: format.leading(one.current_prices, one.outcomes)?.price ?? null,
    href: marketPath(one.id),
    here: one.id === detail.market.id,
    at: byDate ? Date.parse(one.closes_at ?? "") : ladder ? level(labels[n]!) : 0,
  }));
  items.sort((a, b) => (ladder ? a.at - b.at : (b.value ?? -1) - (a.value ?? -1)));
  const shown = all ? items : items.slice(0, 12);
  return (
    <>
      {items.length > 0 && (
        <section class="card" aria-label="Same event">
          <h2>{byDate ? "By when" : (KINDS[detail.market.market_type] ?? "Same event")}</h2>
          {byDate && <ByWhen points={items.flatMap((item) => (item.value === null || !item.at ? [] : [{ time: item.at / 1000, value: item.value }]))} />}
          <Bars items={shown} />
          {items.length > shown.length && <button class="button small" style={{ marginTop: ".8rem" }} type="button" onClick={() => show(true)}>Show all {items.length}</button>}
        </section>
      )}
      {others.length > 0 && (
        <section class="card" aria-label="Same family">
          <h2>Same family</h2>
          <Bars items={others.slice(0, 8).map((one) => ({
            label: one.question, note: format.venue(one.platform), value: format.leading(one.current_prices, one.outcomes)?.price ?? null, href: marketPath(one.id),
          }))} />
        </section>
      )}
    </>
  );
}

const level = (label: string): number => Number(label.replaceAll(",", "").match(/-?\d+(\.\d+)?/)?.[0] ?? 0);

const RELATIONS: [Dimension, string][] = [["direct", "Close to it"], ["upstream", "What drives it"], ["downstream", "What follows"], ["correlated", "Moves with it"]];

function Related({ question, id }: { question: string; id: string }) {
  const found = useLoad<SearchAnswer>(
    (signal) => api("/v1/search", { signal, body: { query: question.slice(0, 500), top_k_per_dimension: 5, filters: { status: "active" } } }),
    [id],
  );
  return (
    <section class="card" aria-label="Related markets">
      <h2>Related markets</h2>
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="related markets" /> : (
        <div class="stack">
          {RELATIONS.map(([dimension, title]) => {
            const rows = (found.data!.results[dimension] ?? []).filter((row) => row.id !== id).slice(0, 4);
            return rows.length > 0 && (
              <div key={dimension}>
                <h3 class="soft" style={{ marginBottom: ".4rem" }}>{title}</h3>
                <ul class="rows">{rows.map((row) => <MarketRow key={row.id} row={row} reason={dimension === "direct" ? null : row.reason} />)}</ul>
              </div>
            );
          })}
        </div>
      )}
    </section>
  );
}
