// What was traded, as bars at the foot of a chart. An area is a volume: a bar that stands for more time is lower.
import type uPlot from "uplot";
import type { MarketHistory } from "../api/types.ts";
import * as format from "../lib/format.ts";

export interface Bar {
  /** Seconds; what was traded after `from`, up to `to`. */
  from: number;
  to: number;
  volume: number;
}

export interface Volume {
  bars: Bar[];
  /** Seconds over which the height of a bar is told. */
  over: number;
  /** In the venue's unit: "$950", "1.2k contracts". */
  write: (volume: number) => string;
}

/** Share of the chart's height that the highest bar takes. */
const HEIGHT = 0.24;

export const volumeIn = (history: MarketHistory): Volume => ({
  bars: (history.volume ?? []).map(({ start, end, volume }) => ({ from: Date.parse(start) / 1000, to: Date.parse(end) / 1000, volume })),
  over: history.interval_minutes * 60,
  write: (volume) => format.amountOf(volume, history.market.platform),
});

/** How much of it would be traded in `over` seconds. */
export const paceOf = (bar: Bar, over: number): number => (bar.volume / (bar.to - bar.from)) * over;

/** The bar that holds a moment. */
export const barAt = (bars: Bar[], time: number): Bar | undefined => bars.find((bar) => bar.from < time && time <= bar.to);

const SPANS: Record<number, string> = { 300: "in 5 minutes", 3600: "an hour", 86_400: "a day" };

/** The scale of the bars in words: "up to 1.2k contracts an hour". */
export const scaleOf = ({ bars, over, write }: Volume): string =>
  `up to ${write(Math.max(...bars.map((bar) => paceOf(bar, over))))} ${SPANS[over] ?? `in ${over / 60} minutes`}`;

/** Draws the bars of the window that is shown. */
export function drawVolume(plot: uPlot, { bars, over }: Volume, color: string): void {
  const { ctx, bbox } = plot;
  const [first, last] = [plot.scales["x"]!.min!, plot.scales["x"]!.max!];
  const shown = bars.filter((bar) => bar.to > first && bar.from < last);
  const most = Math.max(...shown.map((bar) => paceOf(bar, over)));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.3;
  for (const bar of shown) {
    const [left, right] = [plot.valToPos(bar.from, "x", true), plot.valToPos(bar.to, "x", true)];
    const height = (paceOf(bar, over) / most) * bbox.height * HEIGHT;
    const gap = right - left > 4 * devicePixelRatio ? devicePixelRatio : 0;
    ctx.fillRect(left, bbox.top + bbox.height - height, Math.max(right - left - gap, devicePixelRatio), height);
  }
  ctx.restore();
}
