// A month of daily prices for rows of markets: asked for together, once they have stood a while, so
// that rows which come and go while somebody types cost nothing.
import { query } from "./api.ts";

export interface Spark {
  market_id: string;
  outcome: string;
  price_as_of: string;
  prices: (number | null)[];
}

const REST = 350;
const AT_ONCE = 50;
const known = new Map<string, Spark | null>();
const waiting = new Map<string, Set<(spark: Spark | null) => void>>();
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(ids: string[]): Promise<void> {
  const found = new Map<string, Spark>();
  try {
    const answer = await fetch(`/v1/sparklines?${ids.map((id) => query({ market_id: id }).slice(1)).join("&")}`, { credentials: "same-origin" });
    // Without an answer a row has no line: it has its price all the same.
    if (!answer.ok) return;
    for (const spark of (await answer.json()).items as Spark[]) found.set(spark.market_id, spark);
  } catch {
    return;
  }
  for (const id of ids) {
    const spark = found.get(id) ?? null;
    known.set(id, spark);
    for (const tell of waiting.get(id) ?? []) tell(spark);
  }
}

function flush(): void {
  const ids = [...waiting.keys()].filter((id) => !known.has(id));
  for (let n = 0; n < ids.length; n += AT_ONCE) void ask(ids.slice(n, n + AT_ONCE));
}

/** Calls `tell` with the market's sparkline, now or soon; gives what stops it. */
export function watchSpark(id: string, tell: (spark: Spark | null) => void): () => void {
  if (known.has(id)) {
    tell(known.get(id)!);
    return () => {};
  }
  const tellers = waiting.get(id) ?? new Set();
  waiting.set(id, tellers.add(tell));
  clearTimeout(timer);
  timer = setTimeout(flush, REST);
  return () => {
    tellers.delete(tell);
    if (!tellers.size) waiting.delete(id);
  };
}
