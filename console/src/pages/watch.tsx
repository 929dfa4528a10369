// Watch: lists, what they watch, rules tried on the past, alerts, and where alerts go.
import { useLocation } from "preact-iso";
import { useMemo, useState } from "preact/hooks";
import type { Alert, ChartData, Delivery, Evaluated, Message, Page, Row, Rule, SearchAnswer, Target, Watchlist } from "../api/types.ts";
import { ApiError, api, query as params } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { type Present, usePresent } from "../lib/present.ts";
import { session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { type Loaded, useLoad, useMarkets, useRested, useTitle } from "../lib/use.ts";
import { Chart, type Line } from "../ui/chart.tsx";
import { Ago, Copy, Data, Dialog, Empty, Failure, Loading, MarketMeta, Marks, Price, Tabs, When, isStale, marketPath } from "../ui/parts.tsx";
import { ImportTargets } from "../ui/import.tsx";
import { RuleBuilder, inWords } from "../ui/rule.tsx";

type Tab = "alerts" | "targets" | "rules" | "deliveries";

export function Watch({ id }: { id?: string }) {
  const who = useStore(session);
  const { query, route } = useLocation();
  const lists = useLoad<Page<Watchlist>>(who?.signed_in ? (signal) => api("/v1/watchlists?limit=200", { signal }) : null, [who?.signed_in]);
  const [making, make] = useState(false);
  const chosen = lists.data?.items.find((list) => list.id === id) ?? (id ? undefined : lists.data?.items[0]);
  useTitle(chosen ? `${chosen.name} · Watch` : "Watch");
  if (who && !who.signed_in) {
    return <div class="page narrow"><div class="head"><h1>Watch</h1><p class="lead">Watchlists look at markets, events, series and volatility for you and say when something happens.</p></div>
      <Failure error={new ApiError(401, "", "Watchlists belong to an account.")} /></div>;
  }
  return (
    <div class="page">
      <div class="head"><h1>Watch</h1></div>
      {lists.error ? <Failure error={lists.error} retry={lists.reload} /> : !lists.data ? <Loading what="watchlists" /> : (
        <div class="side">
          <aside class="stack" aria-label="Watchlists">
            <nav class="picks" aria-label="Watchlists">
              {lists.data.items.map((list) => (
                <a class="pick" key={list.id} href={`/watch/${list.id}`} aria-current={list.id === chosen?.id ? "page" : undefined}>
                  <span>{list.name}<div class="soft small">{list.targets} watched, {list.rules} {list.rules === 1 ? "rule" : "rules"}</div></span>
                  {list.firing > 0 && <span class="chip firing" style={{ alignSelf: "center" }}>{list.firing} firing</span>}
                </a>
              ))}
            </nav>
            <button class="button" type="button" onClick={() => make(true)}>New watchlist</button>
          </aside>
          {chosen ? <Shown key={chosen.id} list={chosen} tab={(query["tab"] as Tab) ?? "alerts"} choose={(tab) => route(`/watch/${chosen.id}?tab=${tab}`, true)} changed={lists.reload} />
            : id ? <Empty title="There is no such watchlist">It may have been deleted, or belong to another account.</Empty>
            : <Empty title="No watchlist yet">Make one, then add markets from their pages or by a search.</Empty>}
        </div>
      )}
      {making && <NewList close={() => make(false)} made={(list) => { make(false); lists.reload(); route(`/watch/${list.id}?tab=targets`); }} />}
    </div>
  );
}

/** Runs a write, keeps its failure, reloads what it changed. */
function useAct(reload: () => void) {
  const [failure, fail] = useState<ApiError | null>(null);
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    fail(null);
    try {
      await work();
      reload();
      return true;
    } catch (error) {
      fail(error as ApiError);
      return false;
    }
  };
  return { act, failure };
}

function NewList({ close, made }: { close: () => void; made: (list: Watchlist) => void }) {
  const [name, setName] = useState("");
  const { act, failure } = useAct(() => {});
  return (
    <Dialog title="New watchlist" open close={close}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void act(async () => made(await api("/v1/watchlists", { body: { name } }))); }}>
        <label class="field">Name<input class="input" required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
        {failure && <Failure error={failure} />}
        <div><button class="button first" type="submit">Make it</button></div>
      </form>
    </Dialog>
  );
}

function Shown({ list, tab, choose, changed }: { list: Watchlist; tab: Tab; choose: (tab: Tab) => void; changed: () => void }) {
  const at = `/v1/watchlists/${list.id}`;
  const { route } = useLocation();
  const targets = useLoad<Page<Target>>((signal) => api(`${at}/targets?limit=200`, { signal }), [list.id]);
  const rules = useLoad<Page<Rule>>((signal) => api(`${at}/rules?limit=200`, { signal }), [list.id]);
  const { act, failure } = useAct(changed);
  const [evaluated, tell] = useState<Evaluated | null>(null);
  return (
    <div class="stack">
      <div class="rowline between">
        <div><h2>{list.name}</h2>{list.description && <p class="soft">{list.description}</p>}</div>
        <div class="rowline">
          <button class="button small" type="button" onClick={() => void act(async () => tell(await api(`${at}/evaluate`, { method: "POST" })))}>Evaluate now</button>
          <button class="button small danger" type="button" onClick={() => { if (confirm(`Delete ${list.name} with all its rules and alerts?`)) void act(() => api(at, { method: "DELETE" })).then((done) => done && route("/watch")); }}>Delete</button>
        </div>
      </div>
      {failure && <Failure error={failure} />}
      {evaluated && <Outcome of={evaluated} />}
      <Tabs label="Parts of the watchlist" panel="watch-panel" chosen={tab} choose={choose}
        tabs={[{ id: "alerts", title: "Alerts" }, { id: "targets", title: `Watched (${list.targets})` }, { id: "rules", title: `Rules (${list.rules})` }, { id: "deliveries", title: "Deliveries" }]} />
      <div id="watch-panel" role="tabpanel" aria-labelledby={`watch-panel-${tab}`} class="stack">
        {tab === "alerts" && <Alerts at={at} changed={changed} />}
        {tab === "targets" && <Targets at={at} targets={targets} changed={changed} />}
        {tab === "rules" && <Rules at={at} rules={rules} targets={targets.data?.items ?? []} changed={changed} />}
        {tab === "deliveries" && <Deliveries at={at} />}
      </div>
    </div>
  );
}

/** What became of "Evaluate now": how many conditions hold, and which could not be looked at, and why. */
function Outcome({ of }: { of: Evaluated }) {
  const blind = of.evaluations.filter((one) => one.state === "no_data");
  const reasons = [...new Map(blind.map((one) => [one.reason ?? "Nothing is known.", 0])).keys()];
  const firing = of.evaluations.filter((one) => one.state === "firing").length;
  const all = of.evaluations.length;
  return (
    <div class="small" role="status">
      <p>{all ? `Looked at ${all} ${all === 1 ? "pair" : "pairs"} of rule and target: ${firing} firing, ${all - firing - blind.length} quiet${blind.length ? `, ${blind.length} without data` : ""}.` : "There is no rule with a target to look at."}</p>
      {reasons.slice(0, 3).map((reason) => {
        const count = blind.filter((one) => (one.reason ?? "Nothing is known.") === reason).length;
        return <p class="soft" key={reason}>{count > 1 && `${count} times: `}{reason}</p>;
      })}
    </div>
  );
}

// --- alerts ------------------------------------------------------------------------------------

type Snoozable = Alert & { snoozed_until?: string | null; silenced?: boolean };

function Alerts({ at, changed }: { at: string; changed: () => void }) {
  const { path, query, route } = useLocation();
  const state = query["state"] ?? "";
  const choose = (chosen: string) => route(`${path}${params({ ...query, state: chosen })}`, true);
  const address = `${at}/alerts?limit=50${state ? `&state=${state}` : ""}`;
  const found = useLoad<Page<Snoozable>>((signal) => api(address, { signal }), [address]);
  const { act, failure } = useAct(() => { found.reload(); changed(); });
  const alerts = found.data?.items ?? [];
  const markets = useMarkets(alerts.flatMap((alert) => alert.market ? [String(alert.market["id"])] : []));
  const present = usePresent(at, alerts.filter((alert) => !alert.market).map((alert) => targetOf(alert)));
  return (
    <>
      <div class="facets">
        <select aria-label="State" value={state} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">All alerts</option><option value="firing">Firing</option><option value="resolved">Resolved</option>
        </select>
        <Data json={address} csv={{ name: "alerts", rows: alerts }} />
      </div>
      {failure && <Failure error={failure} />}
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="alerts" />
        : !found.data.items.length ? <Empty title="No alerts">An alert appears here when a rule fires. Try a rule on the past to see when it would have.</Empty> : (
        <ul class="card">
          {found.data.items.map((alert) => (
            <li class="item" key={alert.id}>
              <div class="rowline">
                <span class={`chip ${alert.state === "firing" ? "firing" : ""}`}>{alert.state}</span>
                <span class={`chip ${alert.severity}`}>{alert.severity}</span>
                <b>{alert.title}</b>
              </div>
              <p>{alert.summary}{alert.target["kind"] === "search" && <span class="soft"> Found by the search “{String(alert.target["ref"])}”.</span>}</p>
              <Then alert={alert} row={alert.market ? markets?.get(String(alert.market["id"])) : undefined} present={present.get(alert.target_id)} />
              <p class="soft small">
                <Ago at={alert.fired_at} prefix="Fired " />{alert.resolved_at && <>, ended <Ago at={alert.resolved_at} /> ({alert.resolution})</>}
                {alert.silenced && ", silenced"}{alert.snoozed_until && <>, snoozed until <When at={alert.snoozed_until} /></>}. {withLinks(alert.next_action, `/watch/${alert.watchlist_id}?tab=targets&chart=${alert.target_id}`)}
              </p>
              <div class="rowline">
                {alert.market && <a class="button small" href={marketPath(String(alert.market["id"]))}>Open the market</a>}
                {alert.state === "firing" && !alert.snoozed_until && (
                  <button class="button small" type="button" onClick={() => void act(() => api(`${at}/alerts/${alert.id}/snooze`, { body: { for: "4h" } }))}>Snooze 4 h</button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What has the mark of the sample and no market's others. */
const SAMPLE = { origin: "sample" };

const targetOf = (alert: Alert) => ({ id: alert.target_id, kind: alert.target["kind"] as Target["kind"], ref: String(alert.target["ref"]) });

/** The price when it fired beside the price now; of what is no market, its values. */
function Then({ alert, row, present }: { alert: Alert; row: Row | undefined; present: Present | undefined }) {
  if (!alert.market) {
    return present?.value ? <p class="then">Now <b>{present.value}</b>{present.about && ` ${present.about}`} <span class="soft small"><Ago at={present.at} /></span> {present.sample && <Marks row={SAMPLE} />}</p> : null;
  }
  const outcome = String(alert.market["outcome"] ?? "");
  const was = (alert.evidence as { kind: string; id?: string; value: number }[]).find((one) => one.kind === "price" && one.id === alert.market!["id"])?.value;
  const named = row && (outcome in (row.current_prices ?? {}) ? { ...row, outcomes: [outcome] } : row);
  const now = named && format.leading(named.current_prices, named.outcomes)?.price;
  if (was === undefined && now == null) return null;
  const of = outcome && outcome.toLowerCase() !== "yes" ? ` (${outcome})` : "";
  return (
    <p class="then">
      {was !== undefined && <>Price when it fired{of} <b>{format.percent(was)}</b>, </>}
      {row ? <>{was === undefined ? `Price${of} now` : "now"} <b>{format.percent(now)}</b>{was !== undefined && now != null && ` (${format.points(now - was)})`} <span class={`small price-age ${isStale(row) ? "stale" : ""}`}><Ago at={row.price_as_of} /></span> <Marks row={row} /></> : "the market is not in the catalogue any more"}
    </p>
  );
}

/** An alert's advice, which names the chart by its address for programs, with a link for people. */
function withLinks(text: string, chart: string) {
  const [before, after] = text.split(/\/v1\/watchlists\/\S+\/chart/);
  return after === undefined ? text : <>{before}<a href={chart}>its chart</a>{after}</>;
}

// --- targets -----------------------------------------------------------------------------------

function Targets({ at, targets, changed }: { at: string; targets: Loaded<Page<Target>>; changed: () => void }) {
  const [kind, setKind] = useState("market");
  const [ref, setRef] = useState("");
  const { path, query, route } = useLocation();
  const open = query["chart"] ?? null;
  const show = (id: string | null) => route(`${path}${params({ ...query, chart: id })}`, true);
  const { act, failure } = useAct(() => { targets.reload(); changed(); });
  const asked = useRested(kind === "market" ? ref.trim() : "", 250);
  const found = useLoad<SearchAnswer>(
    asked && !asked.includes(":") ? (signal) => api("/v1/search", { signal, body: { query: asked, dimensions: ["direct"], top_k_per_dimension: 6 } }) : null, [asked],
  );
  const markets = useMarkets((targets.data?.items ?? []).filter((target) => target.kind === "market").map((target) => target.ref));
  const present = usePresent(at, targets.data?.items ?? []);
  const add = (chosen: string) => void act(() => api(`${at}/targets`, { body: { kind, ref: chosen } })).then((done) => done && setRef(""));
  const help: Record<string, string> = {
    market: "Words of the question, or its id", event: "polymarket:ID or kalshi:TICKER", search: "A search; its best markets are watched", asset: "BTC", series: "ser_…",
  };
  return (
    <>
      <form class="card stack" onSubmit={(event) => { event.preventDefault(); add(ref.trim()); }}>
        <div class="form-grid">
          <label class="field">Watch
            <select class="input" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="market">a market</option><option value="event">an event</option><option value="search">what a search finds</option><option value="asset">an asset's volatility</option><option value="series">an external series</option>
            </select>
          </label>
          <label class="field broad">Which
            <input class="input" required maxLength={500} placeholder={help[kind]} value={ref} onInput={(event) => setRef(event.currentTarget.value)} />
          </label>
          <button class="button first" type="submit">Add</button>
        </div>
        {found.data && (
          <ul class="picks" aria-label="Markets found">
            {(found.data.results.direct ?? []).map((row) => (
              <li key={row.id}><button class="pick" style={{ width: "100%", textAlign: "left", background: "none", cursor: "pointer" }} type="button" onClick={() => add(row.id)}>
                <span>{row.question} <span class="soft small">{format.venue(row.platform)}</span></span><span>{format.percent(format.leading(row.current_prices, row.outcomes)?.price)}</span>
              </button></li>
            ))}
          </ul>
        )}
        {failure && <Failure error={failure} />}
      </form>
      <ImportTargets at={at} changed={() => { targets.reload(); changed(); }} />
      {targets.error ? <Failure error={targets.error} retry={targets.reload} /> : !targets.data ? <Loading what="targets" />
        : !targets.data.items.length ? <Empty title="Nothing is watched yet" /> : (
        <ul class="card">
          {targets.data.items.map((target) => (
            <li class="item" key={target.id}>
              <div class="watched">
                <Named target={target} present={target.kind === "market" ? { row: markets?.get(target.ref) } : present.get(target.id)} />
                <span class="rowline">
                  <button class="button small" type="button" aria-expanded={open === target.id} onClick={() => show(open === target.id ? null : target.id)}>Chart</button>
                  <button class="button small danger" type="button" onClick={() => void act(() => api(`${at}/targets/${target.id}`, { method: "DELETE" }))}>Remove</button>
                </span>
              </div>
              {open === target.id && <TargetChart address={`${at}/targets/${target.id}/chart`} />}
            </li>
          ))}
        </ul>
      )}
      <Data json={`${at}/targets?limit=200`} csv={{ name: "watched", rows: targets.data?.items ?? [] }} />
    </>
  );
}

const KINDS: Record<string, string> = { event: "event", search: "what a search finds", asset: "realized volatility", series: "external series" };

/** What is watched with what it is worth now; a market as in every list, with its price and the price's age. */
function Named({ target, present }: { target: Target; present: Present | undefined }) {
  const row = present?.row;
  if (!row || target.kind !== "market") {
    const foremost = { event: "Likeliest now", search: "Best found now" }[target.kind as string];
    return (
      <>
        <div>
          {target.kind === "market" ? <a href={marketPath(target.ref)}>{target.label ?? target.ref}</a> : <b>{target.label ?? target.ref}</b>}
          <p class="soft small">{KINDS[target.kind] ?? target.kind}{target.outcome && `, ${target.outcome}`}{target.label && target.kind !== "market" && `: ${target.ref}`}</p>
          {row && <p class="small">{foremost}: <a href={marketPath(row.id)}>{row.question}</a></p>}
          {row ? <MarketMeta row={row} /> : present?.sample && <div class="meta"><Marks row={SAMPLE} /></div>}
        </div>
        {row ? <Price row={row} /> : present?.value ? (
          <div class="price"><span class="price-n">{present.value}</span>{present.about && <span class="price-of broad">{present.about}</span>}<span class="price-age"><Ago at={present.at} /></span></div>
        ) : null}
      </>
    );
  }
  const named = target.outcome && row.current_prices && target.outcome in row.current_prices ? { ...row, outcomes: [target.outcome] } : row;
  return (
    <>
      <div>
        <a href={marketPath(row.id)}>{target.label ?? row.question}</a>
        {target.label && <p class="soft small">{row.question}</p>}
        <MarketMeta row={row} />
      </div>
      <Price row={named} />
    </>
  );
}

function TargetChart({ address }: { address: string }) {
  const found = useLoad<ChartData>((signal) => api(address, { signal }), [address]);
  const lines = useMemo<Line[]>(() => (found.data?.series ?? []).map((series) => ({
    name: series.name, steps: true, points: series.points.map((point) => ({ time: Date.parse(point.time) / 1000, value: point.value })),
  })), [found.data]);
  const marks = useMemo(() => (found.data?.markers ?? []).map((mark) => ({ time: Date.parse(mark.time) / 1000, label: mark.label, severity: mark.severity })), [found.data]);
  const thresholds = useMemo(() => (found.data?.thresholds ?? []).map((one) => ({ value: one.value, label: one.name })), [found.data]);
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading what="chart" />;
  if (!lines.some((line) => line.points.length)) return <Empty title="Nothing is recorded in this window" />;
  const write = found.data.unit === "probability" ? format.percent : found.data.unit === "volatility" ? format.whole : (value: number | null) => format.short(value);
  return <><p class="soft small">{found.data.title}</p><Chart lines={lines} marks={marks} thresholds={thresholds} label={`Chart of ${found.data.title}`} height={240} write={write} /><Data json={address} /></>;
}

// --- rules -------------------------------------------------------------------------------------

type Silenceable = Rule & { silenced_until?: string | null };

function Rules({ at, rules, targets, changed }: { at: string; rules: Loaded<Page<Rule>>; targets: Target[]; changed: () => void }) {
  const [making, make] = useState(false);
  const { act, failure } = useAct(() => { rules.reload(); changed(); });
  const names = new Map(targets.map((target) => [target.id, target.label ?? target.ref]));
  const silence = (rule: Rule, length: string | null) => act(() => api(`${at}/rules/${rule.id}/silence`, { body: { for: length } }));
  return (
    <>
      {making ? <RuleBuilder at={at} targets={targets} close={() => make(false)} done={() => { make(false); rules.reload(); changed(); }} />
        : <div><button class="button first" type="button" onClick={() => make(true)}>New rule</button></div>}
      {failure && <Failure error={failure} />}
      {rules.error ? <Failure error={rules.error} retry={rules.reload} /> : !rules.data ? <Loading what="rules" />
        : !rules.data.items.length ? !making && <Empty title="No rule yet">A rule says when to speak up. Try it on the past before you keep it.</Empty> : (
        <ul class="card">
          {(rules.data.items as Silenceable[]).map((rule) => {
            const silenced = rule.silenced_until && Date.parse(rule.silenced_until) > Date.now();
            return (
              <li class="item" key={rule.id}>
                <div class="rowline between">
                  <span class="rowline"><span class={`chip ${rule.severity}`}>{rule.severity}</span><b>{rule.name}</b>{silenced && <span class="chip">silent until <When at={rule.silenced_until!} /></span>}</span>
                  <span class="rowline">
                    {silenced ? <button class="button small" type="button" onClick={() => void silence(rule, null)}>Unsilence</button>
                      : <button class="button small" type="button" onClick={() => void silence(rule, "1d")}>Silence 1 day</button>}
                    <button class="button small danger" type="button" onClick={() => void act(() => api(`${at}/rules/${rule.id}`, { method: "DELETE" }))}>Remove</button>
                  </span>
                </div>
                <p class="soft">{rule.target_id ? `Of ${names.get(rule.target_id) ?? "a target"}` : "Of every target it fits"}: {inWords(rule).replace("When", "when")}.</p>
              </li>
            );
          })}
        </ul>
      )}
      <Data json={`${at}/rules?limit=200`} csv={{ name: "rules", rows: rules.data?.items ?? [] }} />
    </>
  );
}

// --- deliveries --------------------------------------------------------------------------------

function Deliveries({ at }: { at: string }) {
  const found = useLoad<Page<Delivery>>((signal) => api(`${at}/deliveries`, { signal }), [at]);
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const [open, show] = useState<string | null>(null);
  const { act, failure } = useAct(found.reload);
  const add = (event: Event) => {
    event.preventDefault();
    void act(async () => {
      const made = await api<Delivery & { secret: string | null }>(`${at}/deliveries`, { body: { type: /^https?:/.test(url) ? "webhook" : "notify", url } });
      setUrl("");
      setSecret(made.secret);
    });
  };
  return (
    <>
      <form class="card stack" onSubmit={add}>
        <div class="form-grid">
          <label class="field broader">Send alerts to
            <input class="input" required maxLength={2048} placeholder="https://hooks.example.org/augury" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
          </label>
          <button class="button first" type="submit">Add</button>
        </div>
        <p class="small soft">A webhook is signed by Standard Webhooks and retried for a day. The address is not shown again.</p>
        {failure && <Failure error={failure} />}
      </form>
      <Dialog title="Signing secret" open={secret !== null} close={() => setSecret(null)}>
        <p>The receiver checks signatures with it. It is shown this once.</p><code class="secret">{secret}</code><div><Copy text={secret ?? ""}>Copy</Copy></div>
      </Dialog>
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="deliveries" />
        : !found.data.items.length ? <Empty title="Alerts stay in the console">Add an address to have them sent.</Empty> : (
        <ul class="card">
          {found.data.items.map((one) => (
            <li class="item" key={one.id}>
              <div class="rowline between">
                <span class="rowline"><span class={`chip ${one.enabled ? "good" : "bad"}`}>{one.enabled ? "on" : "off"}</span><b>{one.host}</b><span class="soft small">{one.type}{one.delivered_at && <>, delivered <Ago at={one.delivered_at} /></>}</span></span>
                <span class="rowline">
                  <button class="button small" type="button" onClick={() => void act(() => api(`${at}/deliveries/${one.id}/ping`, { method: "POST" })).then(() => show(one.id))}>Ping</button>
                  <button class="button small" type="button" aria-expanded={open === one.id} onClick={() => show(open === one.id ? null : one.id)}>Log</button>
                  <button class="button small" type="button" onClick={() => void act(() => api(`${at}/deliveries/${one.id}`, { method: "PATCH", body: { enabled: !one.enabled } }))}>{one.enabled ? "Switch off" : "Switch on"}</button>
                  <button class="button small danger" type="button" onClick={() => void act(() => api(`${at}/deliveries/${one.id}`, { method: "DELETE" }))}>Remove</button>
                </span>
              </div>
              {one.off_reason && <p class="grade hinted">{one.off_reason}</p>}
              {open === one.id && <Log address={`${at}/deliveries/${one.id}`} />}
            </li>
          ))}
        </ul>
      )}
      <Data json={`${at}/deliveries`} csv={{ name: "deliveries", rows: found.data?.items ?? [] }} />
    </>
  );
}

function Log({ address }: { address: string }) {
  const found = useLoad<Page<Message>>((signal) => api(`${address}/log?limit=20`, { signal }), [address]);
  const { act, failure } = useAct(found.reload);
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading what="log" lines={2} />;
  return (
    <div class="stack" style={{ gap: ".5rem" }}>
      <div class="rowline"><button class="button small" type="button" onClick={found.reload}>Refresh</button><Data json={`${address}/log`} /></div>
      {failure && <Failure error={failure} />}
      {!found.data.items.length ? <p class="soft">Nothing has been sent yet.</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Delivery log">
          <table class="data">
            <thead><tr><th scope="col">Message</th><th scope="col">State</th><th scope="col">Made</th><th scope="col">Attempts</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
            <tbody>
              {found.data.items.map((message) => {
                const last = message.attempts.at(-1);
                return (
                  <tr key={message.id}>
                    <td>{message.type}</td>
                    <td><span class={`chip ${message.status}`}>{message.status}</span></td>
                    <td><Ago at={message.created_at} /></td>
                    <td>{message.attempts.length}{last && <span class="soft small">, last {last.failure ?? `answered ${last.status_code}`} in {last.seconds.toFixed(2)} s</span>}</td>
                    <td>{message.status !== "pending" && <button class="button small" type="button" onClick={() => void act(() => api(`${address}/replay`, { body: { message_id: message.id } }))}>Send again</button>}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
