// Shortcuts over what the service says.
import type { MarketHistory, SearchResponse, SearchResult } from "./models.js";

/** The price of Yes, else of the first outcome, 0 to 1; undefined where it has no price. */
export function priceOf(market: { current_prices?: Record<string, number | null> | null }): number | undefined {
  const prices = market.current_prices ?? {};
  return ("Yes" in prices ? prices.Yes : Object.values(prices)[0]) ?? undefined;
}

/** All markets that a search found, best first by relation. */
export function everyMarket(found: SearchResponse): SearchResult[] {
  return Object.values(found.results).flat();
}

/** A history as rows: one for each outcome and time; null where nothing was recorded. */
export function table(history: MarketHistory): { timestamp: Date; outcome: string; probability: number | null }[] {
  return history.series.flatMap(({ outcome, points }) =>
    points.map(({ timestamp, probability }) => ({
      timestamp: new Date(timestamp),
      outcome,
      probability: probability ?? null,
    })),
  );
}
