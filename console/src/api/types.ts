// Names for the shapes that the OpenAPI document generates (npm run types), and the fields that a
// service of another age may not send yet.
import type { components } from "./schema.ts";

type Schemas = components["schemas"];

export type SessionState = Schemas["SessionState"];
export type Dimension = "direct" | "upstream" | "downstream" | "correlated";
export type Prices = Record<string, number | null> | null;

/** A market wherever it stands in a list: price, its time, close, volume, venue, and its marks. */
export interface Row {
  id: string;
  platform: string;
  question: string;
  outcomes?: string[];
  status?: string;
  platform_url?: string | null;
  current_prices?: Prices;
  price_as_of?: string | null;
  closes_at?: string | null;
  volume?: number | null;
  event_id?: string | null;
  stale?: boolean | null;
  origin?: string | null;
  twin_ids?: string[] | null;
  reason?: string | null;
  score?: number;
  category?: string | null;
  family?: Schemas["SearchFamily"] | null;
  also?: Schemas["FamilyMember"][];
}

export interface SearchAnswer {
  query: string;
  results: Partial<Record<Dimension, Row[]>>;
  total_markets: number;
  latency_ms: number;
}

export type MarketRecord = Schemas["MarketRecord"];
export type MarketDetail = Schemas["MarketDetail"];
export type MarketList = Schemas["MarketList"];
export type MarketHistory = Schemas["MarketHistory"];
export type RelatedMarket = Schemas["RelatedMarket"];
export type Watchlist = Schemas["WatchlistRecord"];
export type Target = Schemas["TargetRecord"];
export type Rule = Schemas["RuleRecord"];
export type Alert = Schemas["AlertRecord"];
export type Evaluated = Schemas["EvaluationResult"];
export type ChartData = Schemas["ChartData"];
export type Delivery = Schemas["Delivery"];
export type Message = Schemas["Message"];
export type Decided = Schemas["DecidedForecast"];
export type DecidedPage = Schemas["DecidedForecasts"];

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Health {
  status: "ok" | "degraded" | "down";
  version: string;
  time: string;
  uptime_seconds: number;
  data?: "empty" | "sample" | "real";
  problems?: string[];
  catalogue?: Record<string, unknown>;
  index?: Record<string, unknown>;
  database?: Record<string, unknown>;
}

export interface GraphNode {
  id: string;
  label: string;
  markets: Row[];
  current_probability?: number | null;
}

export interface GraphEdge {
  source: string;
  target: string;
  relationship: string;
  strength?: number | null;
  description?: string | null;
  edge_type?: string | null;
  polarity?: "positive" | "negative" | "unknown" | null;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface Evidence {
  market: Row;
  role: string;
  side?: "same" | "opposite" | null;
  price: number | null;
  price_as_of: string | null;
  weight: number | null;
  why: string | null;
}

export interface Bin {
  label: string;
  lower: number | null;
  upper: number | null;
  probability: number;
}

export interface Forecast {
  id?: string | null;
  question: string;
  as_of?: string | null;
  probability: number | null;
  confidence: number | null;
  grade: string | null;
  confidence_interval: { lower: number; upper: number } | null;
  reasoning: string | null;
  evidence: Evidence[];
  rejected: { market: Row; why: string }[];
  distribution: Bin[] | null;
  graph: Graph | null;
  origin?: string | null;
  data_as_of?: string | null;
  warnings: string[];
  error: string | null;
  latency_ms?: number | null;
}
