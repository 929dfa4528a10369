// A rule built part by part, said in a sentence, and tried on the past before it is kept.
import { useMemo, useState } from "preact/hooks";
import type { Rule, Target } from "../api/types.ts";
import { ApiError, api } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { useLoad, useRested } from "../lib/use.ts";
import { Chart } from "./chart.tsx";
import { Failure, Loading, When } from "./parts.tsx";

/** percent: of a probability; whole: of what may be above 100%; points: a difference of probabilities; time: seconds, asked for in hours. */
type Unit = "percent" | "whole" | "points" | "number" | "status" | "time";
const write = (unit: Unit | undefined, value: number | null): string =>
  value === null ? "–"
  : unit === "percent" ? format.percent(value)
  : unit === "whole" ? format.whole(value)
  : unit === "points" ? `${Number((100 * value).toFixed(2))} points`
  : unit === "time" ? format.span(value)
  : format.short(value);
const isShare = (unit: Unit): boolean => unit === "percent" || unit === "whole" || unit === "points";

const METRICS: Record<string, { title: string; unit: Unit; kinds: string[] }> = {
  probability: { title: "the price", unit: "percent", kinds: ["market", "event", "search"] },
  probability_change: { title: "the change of the price", unit: "points", kinds: ["market", "event", "search"] },
  probability_zscore: { title: "how unusual the move is (standard deviations)", unit: "number", kinds: ["market", "event", "search"] },
  volume_24h: { title: "the volume of 24 h", unit: "number", kinds: ["market", "event", "search"] },
  volume_spike: { title: "the volume, times its usual", unit: "number", kinds: ["market", "event", "search"] },
  spread: { title: "the spread of bid and ask", unit: "points", kinds: ["market", "event", "search"] },
  divergence: { title: "the distance to the same question elsewhere", unit: "points", kinds: ["market", "event", "search"] },
  hours_to_close: { title: "the time to the close in hours", unit: "number", kinds: ["market", "event", "search"] },
  status: { title: "the status", unit: "status", kinds: ["market", "event", "search"] },
  series_value: { title: "the value", unit: "number", kinds: ["series"] },
  series_change: { title: "the change of the value", unit: "number", kinds: ["series"] },
  rvol_forecast: { title: "the volatility forecast", unit: "whole", kinds: ["asset"] },
  rvol_ratio: { title: "realized over forecast volatility", unit: "number", kinds: ["asset"] },
  staleness: { title: "the time without news", unit: "time", kinds: ["market", "event", "search", "series", "asset"] },
};
const OPS: Record<string, string> = {
  crosses_above: "rises above", crosses_below: "falls below", gt: "is above", gte: "is at least", lt: "is below", lte: "is at most", eq: "is", ne: "is not",
};

export function inWords(rule: Pick<Rule, "metric" | "op" | "value" | "for" | "window" | "cooldown">): string {
  const metric = METRICS[rule.metric];
  const worded = metric && (isShare(metric.unit) || metric.unit === "time");
  const value = typeof rule.value === "number" && worded ? write(metric.unit, rule.value) : String(rule.value);
  const window = rule.window ? ` over ${rule.window}` : "";
  const hold = rule.for ? ` for ${rule.for}` : "";
  const cooldown = rule.cooldown ? `, at most once in ${rule.cooldown}` : "";
  return `When ${metric?.title ?? rule.metric}${window} ${OPS[rule.op] ?? rule.op} ${value}${hold}${cooldown}`;
}

interface Preview {
  start: string;
  end: string;
  step_seconds: number;
  fired: number;
  targets: { target_id: string; name: string; reason: string | null; points: { time: string; value: number | null }[]; episodes: { fired_at: string; resolved_at: string | null; value: number }[] }[];
}

export function RuleBuilder({ at, targets, close, done }: { at: string; targets: Target[]; close: () => void; done: () => void }) {
  const [targetId, setTarget] = useState("");
  const kinds = targetId ? [targets.find((target) => target.id === targetId)!.kind] : [...new Set(targets.map((target) => target.kind))];
  const fitting = Object.entries(METRICS).filter(([, metric]) => !kinds.length || metric.kinds.some((kind) => kinds.includes(kind as never)));
  const [metric, setMetric] = useState("probability");
  const [op, setOp] = useState("crosses_above");
  const [value, setValue] = useState("60");
  const [hold, setHold] = useState("");
  const [window, setWindow] = useState("");
  const [cooldown, setCooldown] = useState("");
  const [severity, setSeverity] = useState("warning");
  const [name, setName] = useState("");
  const [failure, fail] = useState<ApiError | null>(null);
  const unit = METRICS[metric]!.unit;
  const amount = unit === "status" ? value : isShare(unit) ? Number(value) / 100 : unit === "time" ? Number(value) * 3600 : Number(value);
  const rule = {
    target_id: targetId || null, metric, op, value: amount, severity, window: window || null, for: hold || null, cooldown: cooldown || null,
  };
  const sentence = inWords(rule as never);
  const keep = async (event: Event) => {
    event.preventDefault();
    try {
      await api(`${at}/rules`, { body: { ...rule, name: name || sentence[5]!.toUpperCase() + sentence.slice(6, 150) } });
      done();
    } catch (error) {
      fail(error as ApiError);
    }
  };
  const select = (label: string, chosen: string, set: (value: string) => void, options: [string, string][]) => (
    <label class={`field ${label === "Of" ? "broad" : ""}`}>{label}
      <select class="input" value={chosen} onChange={(event) => set(event.currentTarget.value)}>{options.map(([id, text]) => <option key={id} value={id}>{text}</option>)}</select>
    </label>
  );
  const input = (label: string, held: string, set: (value: string) => void, extra: object = {}) => (
    <label class="field">{label}<input class="input" value={held} onInput={(event) => set(event.currentTarget.value)} {...extra} /></label>
  );
  const chooseMetric = (wanted: string) => {
    setMetric(wanted);
    if (wanted === "status") [setOp("eq"), setValue("resolved")];
    else if (wanted === "staleness") [setOp("gt"), setValue("24")];
    else if (unit === "status" || unit === "time") [setOp("crosses_above"), setValue("60")];
  };
  return (
    <form class="card stack" onSubmit={(event) => void keep(event)}>
      <h2>New rule</h2>
      <div class="form-grid">
        {select("Of", targetId, setTarget, [["", "every target it fits"], ...targets.map((target) => [target.id, target.label ?? target.ref] as [string, string])])}
        {select("When", metric, chooseMetric, fitting.map(([id, one]) => [id, one.title]))}
        {select("Condition", op, setOp, Object.entries(OPS).filter(([id]) => unit !== "status" || id === "eq" || id === "ne"))}
        {unit === "status" ? select("Status", value, setValue, [["active", "active"], ["closed", "closed"], ["resolved", "resolved"]])
          : input(unit === "points" ? "Points" : isShare(unit) ? "Percent" : unit === "time" ? "Hours" : "Value", value, setValue, { type: "number", step: "any", required: true })}
        {["probability_change", "probability_zscore", "volume_spike", "series_change"].includes(metric) && input("Over (like 1h)", window, setWindow, { placeholder: "1h", pattern: "[1-9][0-9]*[smhd]" })}
        {input("Holding for", hold, setHold, { placeholder: "10m", pattern: "[1-9][0-9]*[smhd]" })}
        {input("At most once in", cooldown, setCooldown, { placeholder: "6h", pattern: "[1-9][0-9]*[smhd]" })}
        {select("Severity", severity, setSeverity, [["info", "info"], ["warning", "warning"], ["critical", "critical"]])}
        {input("Name (optional)", name, setName, { maxLength: 200 })}
      </div>
      <p><b>{sentence}.</b></p>
      {targets.length > 0 && <Tried at={at} rule={rule} targets={targets} />}
      {failure && <Failure error={failure} />}
      <div class="rowline"><button class="button first" type="submit">Keep this rule</button><button class="button" type="button" onClick={close}>Cancel</button></div>
    </form>
  );
}

/** What the rule would have done: counted, and marked on the chart. */
function Tried({ at, rule, targets }: { at: string; rule: Record<string, unknown>; targets: Target[] }) {
  const [days, setDays] = useState("30");
  const body = useRested(JSON.stringify({ ...rule, name: "Preview", days: Number(days) }), 350);
  const found = useLoad<Preview>((signal) => api(`${at}/rules/preview`, { signal, body: JSON.parse(body), patience: 4 }), [body]);
  const first = found.data?.targets.find((target) => target.episodes.length) ?? found.data?.targets.find((target) => target.points.length);
  const lines = useMemo(() => first ? [{ name: first.name, steps: true, points: first.points.map((point) => ({ time: Date.parse(point.time) / 1000, value: point.value })) }] : [], [found.data]);
  const marks = useMemo(() => (first?.episodes ?? []).map((one) => ({ time: Date.parse(one.fired_at) / 1000, label: "would have fired", severity: "critical" })), [found.data]);
  const threshold = useMemo(() => typeof rule["value"] === "number" ? [{ value: rule["value"], label: "threshold" }] : [], [rule["value"]]);
  const unit = METRICS[String(rule["metric"])]?.unit;
  return (
    <section class="stack" aria-label="Preview on the past" aria-live="polite">
      <div class="rowline between">
        <h3>On the past</h3>
        <select class="input" style={{ width: "auto" }} aria-label="How far back" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          <option value="7">7 days</option><option value="30">30 days</option><option value="90">90 days</option>
        </select>
      </div>
      {found.error ? <p class="soft">{found.error.status === 404 ? "This service can't preview rules." : found.error.message}</p> : !found.data ? <Loading what="preview" lines={2} /> : (
        <>
          <p>{found.data.targets.length > 0 && found.data.targets.every((target) => target.reason) ? `Nothing to try it on in these ${days} days.` : found.data.fired ? <>Would have fired <b>{found.data.fired} {found.data.fired === 1 ? "time" : "times"}</b> in {days} days.</> : `Would not have fired in ${days} days.`}</p>
          {found.data.targets.filter((target) => target.reason).slice(0, 3).map((target) => <p class="soft small" key={target.target_id}>{targets.length > 1 && <><b>{target.name}</b> </>}{target.reason}</p>)}
          {first && lines[0]!.points.length > 0 && <Chart lines={lines} marks={marks} thresholds={threshold} height={200} label={`${first.name} with the moments at which the rule would have fired`} write={(value) => write(unit, value)} />}
          {first && first.episodes.length > 0 && <p class="soft small">{first.name}: {first.episodes.slice(0, 5).map((one, n) => <span key={n}>{n > 0 && ", "}<When at={one.fired_at} /></span>)}{first.episodes.length > 5 && " …"}</p>}
        </>
      )}
    </section>
  );
}
