// What watched things are worth now: a price with its market, or a number with its time.
import { useEffect, useState } from "preact/hooks";
import type { ChartData, MarketList, Row, SearchAnswer, Target } from "../api/types.ts";
import { api, query } from "./api.ts";
import * as format from "./format.ts";

/** `row`: the market that speaks for the target; else a value in words, of when, and what it is. */
export interface Present {
  row?: Row;
  value?: string;
  at?: string | null;
  about?: string;
  sample?: boolean;
}

type Asked = Pick<Target, "id" | "kind" | "ref">;

/** The last value that a line of a chart has. */
export function lastOf(points: { time: string; value: number | null }[]): { time: string; value: number } | undefined {
  const found = points.findLast((point) => point.value !== null);
  return found && { time: found.time, value: found.value! };
}

/**
 * A chart's newest values in words. Of volatility the realized one comes first, which is no forecast; it stands
 * at the start of its window, so its age is that of the forecast made since.
 */
export function valueIn(chart: ChartData): Present {
  const sample = chart.origin === "sample";
  const lines = chart.series.flatMap((line) => {
    const last = lastOf(line.points);
    return last ? [{ name: line.name, ...last }] : [];
  });
  if (chart.unit !== "volatility") {
    const [line] = lines;
    return line ? { value: `${format.short(line.value)}${chart.unit ? ` ${chart.unit}` : ""}`, at: line.time, sample } : {};
  }
  const realized = lines.find((line) => line.name === "Realized");
  const forecast = lines.find((line) => line !== realized);
  const shown = realized ?? forecast;
  if (!shown) return {};
  const about = !realized ? "a year, forecast"
    : `a year, realized from ${format.date(realized.time)} on${forecast ? `; forecast ${format.whole(forecast.value)}` : ""}`;
  return { value: format.whole(shown.value), at: (forecast ?? shown).time, about, sample };
}

async function presentOf(at: string, target: Asked, signal: AbortSignal): Promise<Present> {
  if (target.kind === "search") {
    const body = { query: target.ref, dimensions: ["direct"], top_k_per_dimension: 1 };
    const found = await api<SearchAnswer>("/v1/search", { signal, body, patience: 5 });
    const row = found.results.direct?.[0];
    return row ? { row } : {};
  }
  if (target.kind === "event") {
    const [platform, ...rest] = target.ref.split(":");
    const { items } = await api<MarketList>(`/v1/markets${query({ platform, event_id: rest.join(":"), limit: 100 })}`, { signal });
    const price = (row: Row) => format.leading(row.current_prices, row.outcomes)?.price ?? -1;
    const [row] = [...(items as Row[])].sort((a, b) => price(b) - price(a));
    return row ? { row } : {};
  }
  return valueIn(await api<ChartData>(`${at}/targets/${target.id}/chart`, { signal }));
}

/** By target what it is worth now, one after the other; of markets themselves a list knows more. */
export function usePresent(at: string, targets: Asked[]): Map<string, Present> {
  const [known, set] = useState(new Map<string, Present>());
  const wanted = targets.filter((target) => target.kind !== "market");
  useEffect(() => {
    const control = new AbortController();
    void (async () => {
      for (const target of wanted.filter((target) => !known.has(target.id))) {
        try {
          const found = await presentOf(at, target, control.signal);
          if (control.signal.aborted) return;
          set((old) => new Map(old).set(target.id, found));
        } catch {
          if (control.signal.aborted) return;
          // Its row stands without a value, and its chart says why.
        }
      }
    })();
    return () => control.abort();
  }, [at, wanted.map((target) => target.id).join()]);
  return known;
}
