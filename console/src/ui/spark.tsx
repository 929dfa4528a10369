// A month of a market in the space of a word.
import { useEffect, useState } from "preact/hooks";
import * as format from "../lib/format.ts";
import { type Spark as Prices, watchSpark } from "../lib/sparks.ts";

const WIDTH = 72;
const HEIGHT = 22;

/** The line's parts, each without gaps, in a box of WIDTH by HEIGHT; a flat line lies in the middle. */
export function pathOf(prices: (number | null)[]): string {
  const known = prices.filter((price) => price !== null);
  // A few days are no line: a speck would look like one.
  if (known.length < 5) return "";
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // Small moves stay small: the height is never less than five points.
  const span = Math.max(high - low, 0.05);
  const middle = (low + high) / 2;
  let path = "";
  let drawing = false;
  prices.forEach((price, n) => {
    if (price === null) {
      drawing = false;
      return;
    }
    const x = 1 + (n / (prices.length - 1)) * (WIDTH - 2);
    const y = HEIGHT / 2 - ((price - middle) / span) * (HEIGHT - 4);
    path += `${drawing ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`;
    drawing = true;
  });
  return path;
}

export function Spark({ id }: { id: string }) {
  const [spark, set] = useState<Prices | null>(null);
  useEffect(() => {
    set(null);
    return watchSpark(id, set);
  }, [id]);
  const path = spark ? pathOf(spark.prices) : "";
  if (!spark || !path) return null;
  const known = spark.prices.filter((price) => price !== null);
  const told = `${spark.outcome} from ${format.percent(known[0])} to ${format.percent(known.at(-1))} in the month to ${format.date(spark.price_as_of)}`;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={told}>
      <title>{told}</title>
      <path d={path} />
    </svg>
  );
}
