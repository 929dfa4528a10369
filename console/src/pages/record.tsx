// Track record: how good past forecasts were, beside the crowd on the same questions, and each of them.
import { useLocation } from "preact-iso";
import type { Decided, DecidedPage } from "../api/types.ts";
import { api, query } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { may, session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { useLoad, useTitle } from "../lib/use.ts";
import { Data, Empty, Failure, Loading, When, marketPath } from "../ui/parts.tsx";

interface Bin { lower: number; upper: number; n: number; forecast: number | null; happened: number | null }
interface Part { n: number; brier: number | null; crowd_brier?: number | null; crowd_n?: number }
interface Card {
  forecasts: number; answered: number; n: number; brier: number | null; log_score: number | null; crowd_n: number; crowd_brier: number | null;
  brier_on_crowd_questions: number | null; calibration: Bin[]; by_domain: Record<string, Part>; by_horizon: Record<string, Part>;
}

const score = (value: number | null | undefined) => (value === null || value === undefined ? "–" : value.toFixed(3));

export function Record() {
  useTitle("Track record");
  const found = useLoad<Card>((signal) => api("/v1/forecast/scorecard", { signal }), []);
  return (
    <div class="page">
      <div class="head">
        <h1>Track record</h1>
        <p class="lead">Every forecast that was given a number and whose question has been decided since, scored against what happened.</p>
      </div>
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="the track record" lines={8} /> : <Shown card={found.data} />}
    </div>
  );
}

function Shown({ card }: { card: Card }) {
  const better = card.crowd_brier !== null && card.brier_on_crowd_questions !== null ? card.crowd_brier - card.brier_on_crowd_questions : null;
  return (
    <div class="stack">
      <section class="card" aria-label="In short">
        <dl class="facts">
          <div><dt>Forecasts made</dt><dd>{card.forecasts.toLocaleString("en-US")}</dd></div>
          <div><dt>With a number</dt><dd>{card.answered.toLocaleString("en-US")}</dd></div>
          <div><dt>Decided since</dt><dd>{card.n.toLocaleString("en-US")}</dd></div>
          <div><dt>Brier score</dt><dd>{score(card.brier)}</dd></div>
          <div><dt>Log score</dt><dd>{score(card.log_score)}</dd></div>
          <div><dt>Crowd's Brier</dt><dd>{score(card.crowd_brier)}</dd></div>
        </dl>
        <p class="small soft" style={{ marginTop: ".8rem" }}>
          A Brier score of 0 is perfect; always saying 50% scores 0.25.
          {better !== null && ` On ${card.crowd_n} questions the crowd priced too, Augury is ${Math.abs(better).toFixed(3)} ${better >= 0 ? "better" : "worse"}.`}
        </p>
      </section>
      {card.n === 0 ? (
        <section class="card"><Empty title="No forecast has been decided yet">The score fills as markets resolve. A forecast of today is scored when its question closes; nothing is scored in advance.</Empty></section>
      ) : (
        <>
          <section class="card" aria-label="Calibration"><h2>Calibration</h2><Calibration bins={card.calibration} /></section>
          <Parts title="By domain" parts={card.by_domain} />
          <Parts title="By time to the decision" parts={card.by_horizon} />
        </>
      )}
      {card.n > 0 && <DecidedList />}
      <Volatility />
      <Data json="/v1/forecast/scorecard" csv={{ name: "scorecard", rows: partsOf(card) }} />
    </div>
  );
}

const partsOf = (card: Card) => [
  { part: "all", n: card.n, brier: card.brier, crowd_brier: card.crowd_brier, crowd_n: card.crowd_n },
  ...Object.entries({ ...card.by_domain, ...card.by_horizon }).map(([part, one]) => ({ part, ...one })),
];

interface Score { asset: string; origin?: string; model_id: string; horizon: string; n: number; from: string; to: string; qlike: number; ratio_to_har: number | null; coverage: Record<string, number> }
const VOLATILITY = "/v1/rvol/scorecard";

/** How good the volatility forecasts were over all assets: the best model of each horizon, by the windows that it shares with HAR. */
function Volatility() {
  useStore(session);
  const allowed = may("rvol:read");
  const found = useLoad<Score[]>(allowed ? (signal) => api(VOLATILITY, { signal }) : null, [allowed]);
  if (!allowed || found.error || found.data?.length === 0) return null;
  if (!found.data) return <section class="card"><Loading what="scores of volatility" lines={3} /></section>;
  const best = new Map<string, Score>();
  const loss = (row: Score | undefined) => row?.ratio_to_har ?? Infinity;
  for (const row of found.data) if (row.asset === "all" && loss(row) < loss(best.get(row.horizon))) best.set(row.horizon, row);
  if (!best.size) return null;
  const rows = [...best.values()].sort((a, b) => Number.parseInt(a.horizon) - Number.parseInt(b.horizon));
  return (
    <section class="card stack" aria-label="Volatility forecasts">
      <div class="rowline between"><h2>Volatility forecasts</h2><Data json={VOLATILITY} csv={`${VOLATILITY}?format=csv`} /></div>
      {rows.some((row) => row.origin === "sample") && <p class="grade hinted">Sample data: these scores are of simulated bars.</p>}
      <table class="data stacked">
        <thead><tr><th scope="col">Horizon</th><th scope="col">Best model</th><th scope="col" class="n">QLIKE</th><th scope="col" class="n">Against HAR</th><th scope="col" class="n">80% band held</th><th scope="col" class="n">Windows</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.horizon}>
              <th scope="row">{row.horizon}</th><td data-label="Best model">{row.model_id}</td><td class="n" data-label="QLIKE">{row.qlike.toFixed(3)}</td>
              <td class="n" data-label="Against HAR">{format.against(row.ratio_to_har)}</td>
              <td class="n" data-label="80% band held">{format.whole(row.coverage["80"])}</td><td class="n" data-label="Windows">{row.n.toLocaleString("en-US")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small soft">Over all assets, out of sample. QLIKE is a loss: lower is better; HAR is the usual reference model. By asset and model: <a href="/volatility">Volatility</a>.</p>
    </section>
  );
}

/** What was said, what the market said, what happened: one forecast a row. */
function DecidedList() {
  useStore(session);
  const { path, query: asked, route } = useLocation();
  const cursor = asked["cursor"] ?? "";
  const address = `/v1/forecast/decided${query({ limit: 25, cursor })}`;
  const allowed = may("forecast:read");
  const found = useLoad<DecidedPage>(allowed ? (signal) => api(address, { signal }) : null, [address, allowed]);
  return (
    <section class="card stack" aria-label="Decided forecasts">
      <div class="rowline between"><h2>Decided forecasts</h2>{allowed && <Data json={address} csv={{ name: "decided-forecasts", rows: found.data?.items ?? [] }} />}</div>
      {!allowed ? <p class="soft">Sign in with a key that may read forecasts to see them one by one.</p>
        : found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="decided forecasts" /> : (
        <>
          <table class="data stacked">
            <thead>
              <tr>
                <th scope="col">Market that decided it</th><th scope="col" class="n">Augury said</th><th scope="col" class="n">Market said</th>
                <th scope="col">Happened</th><th scope="col" class="n">Brier</th><th scope="col">Forecast of</th><th scope="col">Decided</th>
              </tr>
            </thead>
            <tbody>{found.data.items.map((one, n) => <DecidedRow key={n} one={one} />)}</tbody>
          </table>
          {(cursor || found.data.next_cursor) && (
            <div class="rowline between">
              <button class="button small" type="button" disabled={!cursor} onClick={() => route(path)}>Newest</button>
              <button class="button small" type="button" disabled={!found.data.next_cursor} onClick={() => route(`${path}${query({ cursor: found.data!.next_cursor })}`)}>Older</button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function DecidedRow({ one }: { one: Decided }) {
  const named = one.outcome.toLowerCase() !== "yes" && <span class="soft small"> {one.outcome}</span>;
  return (
    <tr>
      <td><a href={marketPath(one.market_id)}>{one.question}</a>{named}</td>
      <td class="n" data-label="Augury said">
        <b>{format.percent(one.probability)}</b>
        {one.interval && <span class="soft small range">{format.percent(one.interval.lower)}–{format.percent(one.interval.upper)}</span>}
      </td>
      <td class="n" data-label="Market said">{format.percent(one.crowd)}</td>
      <td data-label="Happened"><span class={`chip ${one.happened ? "info" : ""}`}>{one.happened ? "yes" : "no"}</span></td>
      <td class="n" data-label="Brier">{one.brier.toFixed(3)}</td>
      <td data-label="Forecast of"><When at={one.as_of} day /></td>
      <td data-label="Decided"><When at={one.decided_at} day /></td>
    </tr>
  );
}

/** Forecast against what happened; a dot's size says how many stand behind it. */
function Calibration({ bins }: { bins: Bin[] }) {
  const known = bins.filter((bin) => bin.n > 0 && bin.forecast !== null && bin.happened !== null);
  const x = (p: number) => 52 + p * 380;
  const y = (p: number) => 400 - p * 380;
  const most = Math.max(...known.map((bin) => bin.n), 1);
  return (
    <div class="two">
      <svg class="plot" viewBox="0 0 450 440" role="img" aria-label="Calibration: forecast probability against how often it happened; the table beside says the same">
        {[0, 0.25, 0.5, 0.75, 1].map((p) => (
          <g key={p}>
            <line class="axis" x1={x(0)} x2={x(1)} y1={y(p)} y2={y(p)} /><line class="axis" y1={y(0)} y2={y(1)} x1={x(p)} x2={x(p)} />
            <text x={x(p)} y="418" text-anchor="middle">{p * 100}%</text><text x="44" y={y(p) + 4} text-anchor="end">{p * 100}%</text>
          </g>
        ))}
        <line class="guide" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        {known.map((bin) => <circle key={bin.lower} class="dot" cx={x(bin.forecast!)} cy={y(bin.happened!)} r={4 + 9 * Math.sqrt(bin.n / most)} opacity="0.85"><title>{bin.n} forecasts</title></circle>)}
        <text x={x(0.5)} y="437" text-anchor="middle">forecast</text>
      </svg>
      <table class="data">
        <thead><tr><th scope="col" class="n">Said</th><th scope="col" class="n">Happened</th><th scope="col" class="n">Forecasts</th></tr></thead>
        <tbody>{known.map((bin) => <tr key={bin.lower}><td class="n">{format.percent(bin.forecast)}</td><td class="n">{format.percent(bin.happened)}</td><td class="n">{bin.n}</td></tr>)}</tbody>
      </table>
    </div>
  );
}

function Parts({ title, parts }: { title: string; parts: Record<string, Part> }) {
  const rows = Object.entries(parts);
  if (!rows.length) return null;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="data">
          <thead><tr><th scope="col">Part</th><th scope="col" class="n">Decided</th><th scope="col" class="n">Brier</th><th scope="col" class="n">Crowd's</th></tr></thead>
          <tbody>{rows.map(([name, part]) => <tr key={name}><th scope="row">{name}</th><td class="n">{part.n}</td><td class="n">{score(part.brier)}</td><td class="n">{score(part.crowd_brier)}</td></tr>)}</tbody>
        </table>
      </div>
    </section>
  );
}
