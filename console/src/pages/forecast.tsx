// Forecast: a question answered stage by stage, with everything the number rests on.
import { lazy, useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Bin, Evidence, Forecast as Made, Graph } from "../api/types.ts";
import { ApiError, api, query as params, stream } from "../lib/api.ts";
import { STAGES, amountOf, asCurl, asPython, evidenceOf, forecastOf, shapeOf } from "../lib/forecast.ts";
import * as format from "../lib/format.ts";
import { fileName } from "../lib/save.ts";
import { session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { useTitle } from "../lib/use.ts";
import { Bars } from "../ui/bars.tsx";
import { ByWhen } from "../ui/chart.tsx";
import { Doubt, Grade } from "../ui/doubt.tsx";
import { Ago, Copy, Failure, Marks, Table, Venue, When, marketPath } from "../ui/parts.tsx";

const CausalGraph = lazy(() => import("../ui/graph.tsx").then((module) => module.CausalGraph));
const EXAMPLES = [
  "Will the US enter a recession by the end of 2027?",
  "Will the Fed cut rates in December 2026?",
  "How high will Bitcoin get in 2026?",
];

interface Work {
  question: string;
  asOf: string | null;
  stage: number;
  found: number | null;
  evidence: Evidence[];
  estimate: { probability: number | null; lower: number | null; upper: number | null } | null;
  made: Made | null;
  error: ApiError | null;
}

/** `datetime-local` speaks the reader's zone; the service UTC. */
const toLocal = (iso: string): string => {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

export function Forecast() {
  const { query, route } = useLocation();
  const who = useStore(session);
  const [text, setText] = useState(query["q"] ?? "");
  const [moment, setMoment] = useState(query["as_of"] ? toLocal(query["as_of"]) : "");
  const [work, setWork] = useState<Work | null>(null);
  const control = useRef<AbortController | null>(null);
  useTitle(work ? `${work.question} · Forecast` : "Forecast");

  const run = async (question: string, asOf: string | null) => {
    control.current?.abort();
    const { signal } = (control.current = new AbortController());
    let now: Work = { question, asOf, stage: 0, found: null, evidence: [], estimate: null, made: null, error: null };
    const step = (changes: Partial<Work>) => !signal.aborted && setWork((now = { ...now, ...changes }));
    step({});
    try {
      let graph: Graph | null = null;
      for await (const { event_type, data } of stream("/v1/forecast/stream", { question, ...(asOf ? { as_of: asOf } : {}) }, signal)) {
        const stage = STAGES.findIndex((one) => one.id === event_type);
        if (event_type === "search") step({ found: data.markets ?? null });
        if (event_type === "evidence") step({ evidence: [...now.evidence, evidenceOf(data)] });
        if (event_type === "estimate") step({ estimate: data });
        if (event_type === "graph") graph = data;
        if (event_type === "error") throw new ApiError(502, data.code, data.detail);
        if (event_type === "final") step({ stage: STAGES.length, made: forecastOf(data, now.evidence, graph) });
        if (stage >= 0) step({ stage: stage + 1 });
      }
      // With what was rejected, the grade, and an id to share: where the service has that record.
      const body = { question, ...(asOf ? { as_of: asOf } : {}) };
      const full = await api<any>("/v1/forecasts", { body, signal, patience: 0 }).catch(() => null);
      if (full) step({ made: forecastOf({ latency_ms: now.made?.latency_ms, ...full, graph: full.graph ?? graph }, now.evidence, graph) });
    } catch (error) {
      if (!signal.aborted) step({ error: error instanceof ApiError ? error : new ApiError(0, "failed", String(error)) });
    }
  };

  const asked = query["q"] ?? "";
  const askedAt = query["as_of"] ?? "";
  useEffect(() => {
    if (!who) return;
    setText(asked);
    setMoment(askedAt ? toLocal(askedAt) : "");
    if (asked) void run(asked, askedAt || null);
    else setWork(null);
    return () => control.current?.abort();
  }, [asked, askedAt, who?.signed_in]);

  const submit = (event?: Event) => {
    event?.preventDefault();
    const question = text.trim();
    if (!question) return;
    const asOf = moment ? new Date(moment).toISOString() : "";
    if (question === asked && asOf === askedAt) void run(question, asOf || null);
    else route(`/forecast${params({ q: question, as_of: asOf })}`);
  };

  return (
    <div class="page">
      <div class="head">
        <h1>Forecast</h1>
        <p class="lead">Ask about the future in plain words. The answer is a probability with its doubt and the markets it rests on, or none where no market bears on it.</p>
      </div>
      <form class="ask card" onSubmit={submit}>
        <label class="visually-hidden" for="question">Question</label>
        <textarea id="question" class="input" rows={2} maxLength={500} required value={text} placeholder="Will … by …?"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === "Enter" && !event.shiftKey) submit(event); }} />
        <div class="rowline between">
          <div class="rowline">
            <label class="field" style={{ gridAutoFlow: "column", alignItems: "center", gap: ".6rem" }}>
              <span>As of</span>
              <input class="input" type="datetime-local" style={{ width: "auto" }} max={toLocal(new Date().toISOString())} value={moment}
                onInput={(event) => setMoment(event.currentTarget.value)} />
            </label>
            {!moment && <span class="soft small">Empty: now. A past moment is replayed.</span>}
          </div>
          <button class="button first" type="submit">{moment ? "Replay" : "Forecast"}</button>
        </div>
      </form>
      {!work && (
        <div class="examples" style={{ marginTop: "1.2rem" }}>
          {EXAMPLES.map((example) => <a class="example" key={example} href={`/forecast${params({ q: example })}`}>{example}</a>)}
        </div>
      )}
      {work && (
        <div class="stack" style={{ marginTop: "1.25rem" }}>
          <Progress work={work} />
          {work.error && <Failure error={work.error} retry={() => void run(work.question, work.asOf)} />}
          {work.made ? <Answer made={work.made} asOf={work.asOf} /> : !work.error && work.evidence.length > 0 && (
            <section class="card"><h2>Evidence so far</h2><EvidenceTable evidence={work.evidence} asOf={work.asOf} /></section>
          )}
        </div>
      )}
    </div>
  );
}

function Progress({ work }: { work: Work }) {
  const detail = (id: string) =>
    id === "search" && work.found !== null ? `: ${work.found}` : id === "evidence" && work.evidence.length ? `: ${work.evidence.length}` : "";
  return (
    <ol class="stages" aria-label="Stages">
      {STAGES.map((stage, n) => (
        <li key={stage.id} class={n < work.stage ? "done" : n === work.stage && !work.error ? "now" : ""}>{stage.title}{detail(stage.id)}</li>
      ))}
      {work.made?.latency_ms != null && <li class="done"><span role="status">Answered in {work.made.latency_ms} ms</span></li>}
    </ol>
  );
}

export function Answer({ made, asOf }: { made: Made; asOf: string | null }) {
  const grade = made.grade ?? "none";
  return (
    <>
      <section class="card stack" aria-label="Answer">
        <div class="rowline between">
          <h2>{made.question}</h2>
          <div class="rowline">
            <Marks row={{ origin: made.origin ?? null } as never} />
            {asOf && <span class="chip">as of <When at={asOf} /></span>}
          </div>
        </div>
        {made.probability !== null ? (
          <div class="verdict">
            <div>
              <div class="big-n">{format.percent(made.probability)}</div>
              {made.confidence_interval && (
                <p class="soft" title="With a chance of 80% its market trades within this range a week from now.">80% range in a week: {format.percent(made.confidence_interval.lower)} to {format.percent(made.confidence_interval.upper)}</p>
              )}
            </div>
            <Doubt probability={made.probability} interval={made.confidence_interval} />
          </div>
        ) : <p class="lead">{withReplay(made.error ?? "There is no estimate for this question.", made.question)}</p>}
        {(made.probability !== null || !made.distribution) && <Grade grade={grade} />}
        {made.warnings.map((warning) => <p class="grade hinted" key={warning}>{warning}</p>)}
        {made.reasoning && made.reasoning !== made.error && <p style={{ maxWidth: "75ch" }}>{made.reasoning}</p>}
        <div class="rowline">
          {made.data_as_of && <span class="soft small"><Ago at={made.data_as_of} from={asOf} prefix="Newest price that counts: " /></span>}
          <Copy text={() => asCurl(location.origin, made.question, asOf)}>Copy as curl</Copy>
          <Copy text={() => asPython(location.origin, made.question, asOf)}>Copy as Python</Copy>
          <Copy text={() => `${location.origin}/forecast${params({ q: made.question, as_of: asOf })}`}>Copy link</Copy>
          {made.id && <a class="button small" href={`/v1/forecasts/${made.id}`} target="_blank" rel="noopener">JSON</a>}
          <Table kind="button small" name={`evidence-${fileName(made.question)}`} rows={made.evidence.map(({ market, ...one }) => ({ ...one, ...market }))} />
        </div>
      </section>
      {made.distribution && made.distribution.length > 1 && <Distribution bins={made.distribution} />}
      <section class="card" aria-label="Evidence">
        <h2>Evidence</h2>
        {made.evidence.length ? <EvidenceTable evidence={made.evidence} asOf={asOf} /> : <p class="soft">No market counts as evidence.</p>}
      </section>
      {made.graph && made.graph.nodes.length > 1 && <CausalGraph graph={made.graph} title={made.question} />}
      {made.rejected.length > 0 && (
        <details class="card">
          <summary><h2 style={{ display: "inline" }}>Compared and not used ({made.rejected.length})</h2></summary>
          <div class="scroll">
            <table class="data stacked">
              <thead><tr><th scope="col">Market</th><th scope="col">Why not</th><th scope="col" class="n">Price</th></tr></thead>
              <tbody>
                {made.rejected.map(({ market, why }) => (
                  <tr key={market.id}>
                    <td><a href={marketPath(market.id)}>{market.question}</a> <Venue platform={market.platform} /></td>
                    <td data-label="Why not">{why}</td>
                    <td class="n" data-label="Price">{format.percent(format.leading(market.current_prices, market.outcomes)?.price)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </>
  );
}

/** What the service advises, which names a moment for programs, with a link for people. */
function withReplay(text: string, question: string) {
  const [all, moment] = /ask with as_of=(\S+Z)/.exec(text) ?? [];
  if (!all || !moment) return text;
  const [before, after] = text.split(all);
  return <>{before}<a href={`/forecast${params({ q: question, as_of: moment })}`}>replay that moment</a>{after}</>;
}

const ROLES: Record<string, string> = {
  direct: "asks the question", bound: "sets a limit", proxy: "hints at it", weak: "hints at it",
};

function EvidenceTable({ evidence, asOf }: { evidence: Evidence[]; asOf: string | null }) {
  return (
    <div class="scroll">
      <table class="data stacked">
        <thead>
          <tr><th scope="col">Market</th><th scope="col">Role</th><th scope="col">Side</th><th scope="col" class="n">Price</th><th scope="col">Age</th><th scope="col">Weight</th><th scope="col">Why</th></tr>
        </thead>
        <tbody>
          {evidence.map((one) => (
            <tr key={one.market.id}>
              <td><a href={marketPath(one.market.id)}>{one.market.question}</a> <Venue platform={one.market.platform} /> <Marks row={one.market} /></td>
              <td data-label="Role"><span class="chip info">{one.role === "weak" ? "proxy" : one.role}</span> <span class="soft small">{ROLES[one.role]}</span></td>
              <td data-label="Side">{one.side === "opposite" ? "asks the opposite" : "same"}</td>
              <td class="n" data-label="Price">{format.percent(one.price)}</td>
              <td data-label="Age" class="nowrap"><Ago at={one.price_as_of} from={asOf} /></td>
              <td data-label="Weight" style={{ whiteSpace: "nowrap" }}><Weight share={one.weight} /></td>
              <td data-label="Why">{one.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Null: it counts, but nothing is averaged: a bound, a hint, one outcome of several. */
const Weight = ({ share }: { share: number | null }) => share === null ? <>counts</> : (
  <>
    <svg class="weight" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="12" rx="4" /><rect class="fill" width={100 * share} height="12" rx="4" />
    </svg>
    {share > 0 ? format.percent(share) : <span class="soft">not counted</span>}
  </>
);

function Distribution({ bins }: { bins: Bin[] }) {
  const shape = shapeOf(bins);
  const most = Math.max(...bins.map((bin) => bin.probability), 0.01);
  const inOrder = shape === "ladder" && bins.every((bin) => bin.lower === null && bin.upper === null)
    ? [...bins].sort((a, b) => amountOf(a.label)! - amountOf(b.label)!) : bins;
  let running = 0;
  const steps: { time: number; value: number }[] = [];
  const items = inOrder.map((bin) => {
    running += bin.probability;
    if (typeof bin.upper === "string") steps.push({ time: Date.parse(bin.upper) / 1000, value: Math.min(1, running) });
    return { label: bin.label, value: bin.probability, ...(shape === "curve" && bin.upper !== null ? { note: `${format.percent(Math.min(1, running))} by then` } : {}) };
  });
  if (shape === "bars") items.sort((a, b) => b.value - a.value);
  return (
    <section class="card" aria-label="Distribution">
      <h2>{shape === "ladder" ? "How much" : shape === "curve" ? "By when" : "Which one"}</h2>
      {shape === "curve" && <ByWhen points={steps} />}
      <Bars items={items} most={most} />
    </section>
  );
}
