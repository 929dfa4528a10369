// The causal base: what drives what, as Augury knows it, each arrow with its reason.
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { api, query as params } from "../lib/api.ts";
import { useLoad, useRested, useTitle } from "../lib/use.ts";
import { Data, Empty, Failure, Loading } from "../ui/parts.tsx";

interface Judged { verdict: string; strength: number; sign: "+" | "-" | "0"; readers: number; source: "shipped" | "own"; agrees: boolean }
interface Arrow { key: string; name: string; sign: "+" | "-"; strength: number; lag_days: number | null; reason: string; judged: Judged | null }
interface Factor { key: string; name: string; up: string; domain: string; instances: number; drives: Arrow[]; driven_by: Arrow[]; moves_with: Arrow[] }
interface List { items: Factor[]; next_cursor: string | null; total: number; domains: string[]; version: string }

const STRENGTH: Record<number, string> = { 3: "main", 2: "clear", 1: "weak" };
const VERDICT: Record<string, string> = { cause: "a cause", effect: "an effect", driver: "a common driver", rival: "a rival or parallel", part: "a part", none: "no bearing" };

/** What readers who had not seen an arrow said of its two factors. */
const judgment = (judged: Judged | null): string => {
  if (!judged) return "not judged";
  const by = judged.source === "own" ? "here" : `by ${judged.readers === 1 ? "one reader" : `${judged.readers} readers`}`;
  return `judged ${by}: ${judged.strength ? `${STRENGTH[judged.strength]}, ` : ""}${VERDICT[judged.verdict]}`;
};

export function Causes() {
  const { query, route } = useLocation();
  const [typed, type] = useState(query["q"] ?? "");
  const asked = useRested(typed.trim(), 150);
  const domain = query["domain"] ?? "";
  const cursor = query["cursor"] ?? "";
  useTitle("Causal base");
  useEffect(() => {
    if (asked !== (query["q"] ?? "")) route(`/causes${params({ q: asked, domain })}`, true);
  }, [asked]);
  const address = `/v1/factors${params({ q: asked, domain, cursor, limit: 20 })}`;
  const found = useLoad<List>((signal) => api(address, { signal }), [address]);
  return (
    <div class="page narrow">
      <div class="head">
        <h1>The causal base</h1>
        <p class="lead">What drives what, as Augury knows it. Search and forecasts reach related markets over these arrows; every arrow has a reason you can check.</p>
      </div>
      <div class="facets">
        <label class="grow"><span class="visually-hidden">Find a factor</span><input class="input" type="search" placeholder="Find a factor, like oil price" value={typed} onInput={(event) => type(event.currentTarget.value)} /></label>
        <select aria-label="Domain" value={domain} onChange={(event) => route(`/causes${params({ q: asked, domain: event.currentTarget.value })}`)}>
          <option value="">All domains</option>
          {found.data?.domains.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
        {found.data && <span class="soft small" role="status">{found.data.total.toLocaleString("en-US")} factors</span>}
      </div>
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="the base" lines={8} />
        : !found.data.items.length ? <Empty title="No factor has this name">Try another word; names are like “US recession” or “Gold price”.</Empty> : (
        <div class="stack">
          {found.data.items.map((factor) => <Shown key={factor.key} factor={factor} />)}
          <div class="rowline between">
            {cursor ? <a class="button" href={`/causes${params({ q: asked, domain })}`}>From the beginning</a> : <span />}
            {found.data.next_cursor && <a class="button" href={`/causes${params({ q: asked, domain, cursor: found.data.next_cursor })}`}>More</a>}
          </div>
          <Data json={address} csv={{ name: "causes", rows: found.data.items.flatMap(arrowsOf) }} />
        </div>
      )}
    </div>
  );
}

/** The arrows of a factor, each a row. */
const arrowsOf = (factor: Factor) =>
  ([["drives", factor.drives], ["is driven by", factor.driven_by], ["moves with", factor.moves_with]] as const).flatMap(([relation, arrows]) =>
    arrows.map((arrow) => ({ factor: factor.key, name: factor.name, relation, other: arrow.key, other_name: arrow.name, sign: arrow.sign, strength: arrow.strength, lag_days: arrow.lag_days, reason: arrow.reason, verdict: arrow.judged?.verdict ?? null, verdict_strength: arrow.judged?.strength ?? null, readers: arrow.judged?.readers ?? 0 })));

function Shown({ factor }: { factor: Factor }) {
  const parts: [string, Arrow[]][] = [["Drives", factor.drives], ["Is driven by", factor.driven_by], ["Moves with", factor.moves_with]];
  return (
    <section class="card" aria-label={factor.name}>
      <div class="rowline between"><h2>{factor.name}</h2><span class="chip">{factor.domain}</span></div>
      <p class="soft small">Up means: {factor.up}{factor.instances > 1 && `. One of ${factor.instances} of its pattern.`}</p>
      {parts.map(([title, arrows]) => arrows.length > 0 && (
        <Arrows key={title} title={title} arrows={arrows} />
      ))}
    </section>
  );
}

/** Arrows of one kind; many of them are drawn when they are asked for. */
function Arrows({ title, arrows }: { title: string; arrows: Arrow[] }) {
  const [open, set] = useState(arrows.length <= 6);
  return (
    <details open={open} style={{ marginTop: ".6rem" }} onToggle={(event) => set(event.currentTarget.open)}>
      <summary>{title} {arrows.length} {arrows.length === 1 ? "factor" : "factors"}</summary>
      {open && (
        <ul>
          {arrows.map((arrow) => (
            <li class="item" key={arrow.key + arrow.sign} style={{ padding: ".45rem 0" }}>
              <div class="rowline">
                <a href={`/causes${params({ q: arrow.name })}`}>{arrow.name}</a>
                <span class="chip info">{arrow.lag_days === null ? (arrow.sign === "+" ? "▲ the same way" : "▼ the other way") : arrow.sign === "+" ? "▲ raises" : "▼ lowers"}</span>
                <span class="soft small">{STRENGTH[arrow.strength]}{arrow.lag_days !== null && `, after ${arrow.lag_days} ${arrow.lag_days === 1 ? "day" : "days"}`}</span>
              </div>
              <p class="small">{arrow.reason} <span class="soft">({judgment(arrow.judged)})</span></p>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
