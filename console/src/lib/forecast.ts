// A forecast as the page shows it, from the stream's stages and from the full record. Pure.
import type { Bin, Evidence, Forecast, Graph, Row } from "../api/types.ts";

export const STAGES = [
  { id: "started", title: "Question taken" },
  { id: "normalized", title: "Understood" },
  { id: "search", title: "Markets found" },
  { id: "evidence", title: "Evidence weighed" },
  { id: "estimate", title: "Estimated" },
  { id: "graph", title: "Causes drawn" },
] as const;

const outlet = (id: string): string => id.split(":")[0] ?? "";

/** A market of the stream's evidence. */
export function evidenceOf(data: any): Evidence {
  const market: Row = {
    id: data.market_id,
    platform: outlet(data.market_id),
    question: data.question,
    current_prices: data.outcome ? { [data.outcome]: data.price } : null,
    price_as_of: data.price_as_of,
  };
  return {
    market,
    role: data.role,
    side: data.flipped ? "opposite" : "same",
    price: data.price,
    price_as_of: data.price_as_of,
    weight: data.weight,
    why: data.relation,
  };
}

const PLACES = ["direct", "bound", "proxy", "weak"];

/** How far the evidence carries, where the service does not say: the best role that counts. */
export function gradeOf(probability: number | null, evidence: Evidence[]): string {
  if (probability === null) return "none";
  const counted = evidence.filter((one) => one.weight !== 0);
  if (counted.some((one) => one.role === "direct")) return "asked";
  return counted.some((one) => one.role === "bound") ? "bounded" : "hinted";
}

/** The distribution of either form: a list of bins, or numbers by label. */
export function binsOf(distribution: unknown): Bin[] | null {
  if (Array.isArray(distribution)) return distribution as Bin[];
  if (typeof distribution !== "object" || distribution === null) return null;
  return Object.entries(distribution as Record<string, number>).map(([label, probability]) => ({
    label, lower: null, upper: null, probability,
  }));
}

export function forecastOf(answer: any, streamed: Evidence[] = [], graph: Graph | null = null): Forecast {
  const evidence: Evidence[] = [...(answer.evidence ?? streamed)].sort(
    (a, b) => (b.weight ?? 1) - (a.weight ?? 1) || PLACES.indexOf(a.role) - PLACES.indexOf(b.role),
  );
  return {
    id: answer.id ?? null,
    question: answer.question,
    as_of: answer.as_of ?? null,
    probability: answer.probability ?? null,
    confidence: answer.confidence ?? null,
    grade: answer.grade ?? gradeOf(answer.probability ?? null, evidence),
    confidence_interval: answer.confidence_interval ?? null,
    reasoning: answer.reasoning ?? null,
    evidence,
    rejected: answer.rejected ?? [],
    distribution: binsOf(answer.distribution),
    graph: answer.graph ?? answer.causal_graph ?? graph,
    origin: answer.origin ?? null,
    data_as_of: answer.data_as_of ?? null,
    warnings: answer.warnings ?? [],
    error: answer.error ?? null,
    latency_ms: answer.latency_ms ?? null,
  };
}

/** The amount that a label begins with: 98000 of "$98,000 to $99,999". */
export const amountOf = (label: string): number | null => {
  const found = /^[<>≤≥\s]*[$€£]?\s?(-?\d[\d,]*(?:\.\d+)?)/.exec(label)?.[1];
  return found === undefined ? null : Number(found.replaceAll(",", ""));
};

/** Ladders are of thresholds, curves of deadlines, bars of names. */
export function shapeOf(bins: Bin[]): "ladder" | "curve" | "bars" {
  const ends = bins.flatMap((bin) => [bin.lower, bin.upper]).filter((end) => end !== null);
  // While an answer streams its bins have names alone.
  if (!ends.length) return bins.length > 0 && bins.every((bin) => amountOf(bin.label) !== null) ? "ladder" : "bars";
  return ends.every((end) => typeof end === "string") ? "curve" : "ladder";
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same forecast from a terminal. */
export function asCurl(origin: string, question: string, asOf: string | null): string {
  const body = JSON.stringify({ question, ...(asOf ? { as_of: asOf } : {}), include_graph: true });
  return `curl -s ${origin}/v1/forecasts -H "Authorization: Bearer $AUGURY_API_KEY" -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** The same forecast in Python, with nothing but its standard library. */
export function asPython(origin: string, question: string, asOf: string | null): string {
  const body = [`"question": ${JSON.stringify(question)}`, ...(asOf ? [`"as_of": ${JSON.stringify(asOf)}`] : [])].join(", ");
  return [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    "${origin}/v1/forecasts",`,
    `    json.dumps({${body}}).encode(),`,
    `    {"Authorization": f"Bearer {os.environ['AUGURY_API_KEY']}", "Content-Type": "application/json"},`,
    ")",
    "answer = json.load(urllib.request.urlopen(request))",
    `print(answer["probability"], answer["confidence_interval"])`,
  ].join("\n");
}
