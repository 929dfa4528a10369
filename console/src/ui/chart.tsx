// Lines over time on a canvas, with a crosshair, markers of events and thresholds.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import * as format from "../lib/format.ts";
import { color } from "../lib/theme.ts";
import { type Volume, barAt, drawVolume, scaleOf } from "./volume.ts";

/** Labels of the time axis by their distance: seconds, the label, and what is said once below it. */
const DATES: uPlot.Axis.Values = [
  [365 * 86_400, "{YYYY}", null, null, null, null, null, null, 1],
  [28 * 86_400, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [86_400, "{MMM} {D}", "\n{YYYY}", null, null, null, null, null, 1],
  [3600, "{HH}:{mm}", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
  [60, "{HH}:{mm}", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{MMM} {D}", null, "\n{MMM} {D}", null, null, null, 1],
];
const FONTS = '"Inter Variable", system-ui, sans-serif';

export interface Line {
  name: string;
  points: { time: number; value: number | null }[];
  /** Stands until the next point: prices do, interpolated values do not. */
  steps?: boolean;
  dash?: boolean;
  /** Its points stand out: between them nothing is known. */
  dots?: boolean;
}

export interface Mark {
  time: number;
  label: string;
  severity?: string;
}

interface Props {
  lines: Line[];
  label: string;
  height?: number;
  marks?: Mark[];
  thresholds?: { value: number; label: string }[];
  write?: (value: number | null) => string;
  /** What was traded, as bars at the foot. */
  volume?: Volume | undefined;
}

// The same lists every time: a new one would draw the chart anew.
const NO_MARKS: Mark[] = [];
const NO_THRESHOLDS: { value: number; label: string }[] = [];

const stepped = uPlot.paths.stepped!({ align: 1 });
const linear = uPlot.paths.linear!();
/** Steps where they can be seen; where several points share a pixel, their least and most. */
const steps: uPlot.Series.PathBuilder = (plot, series, from, to) =>
  (to - from > 2 * plot.over.clientWidth ? linear : stepped)(plot, series, from, to);

/** Seconds of the least window that can be zoomed to. */
const CLOSEST = 60;

/** A window of time within `whole`, as long as `from` and moved and stretched around its middle. */
export function moved(from: [number, number], whole: [number, number], by: number, stretch = 1): [number, number] {
  const [first, last] = whole;
  const length = Math.min(last - first, Math.max(CLOSEST, (from[1] - from[0]) * stretch));
  const begin = (from[0] + from[1] - length) / 2 + by;
  const start = Math.min(last - length, Math.max(first, begin));
  return [start, start + length];
}

/** All lines on one axis of times, as uPlot wants them. */
export function aligned(lines: Line[]): uPlot.AlignedData {
  const times = [...new Set(lines.flatMap((line) => line.points.map((point) => point.time)))].sort((a, b) => a - b);
  const at = new Map(times.map((time, n) => [time, n]));
  return [
    times,
    ...lines.map((line) => {
      // undefined: this line has no word here; null: it has a gap.
      const values = new Array<number | null | undefined>(times.length).fill(undefined);
      for (const point of line.points) values[at.get(point.time)!] = point.value;
      return values;
    }),
  ] as uPlot.AlignedData;
}

export function Chart({ lines, label, height = 300, marks = NO_MARKS, thresholds = NO_THRESHOLDS, write = format.percent, volume: given }: Props) {
  const volume = given?.bars.length ? given : undefined;
  const box = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<{ left: number; at: number; values: (number | null)[] } | null>(null);
  const [painted, repaint] = useState(0);
  const [zoomed, setZoomed] = useState(false);
  const plotted = useRef<uPlot | null>(null);
  useEffect(() => {
    const again = () => repaint((n) => n + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("themechange", again);
    dark.addEventListener("change", again);
    return () => {
      removeEventListener("themechange", again);
      dark.removeEventListener("change", again);
    };
  }, []);
  const whole = (plot: uPlot): [number, number] => [plot.data[0][0]!, plot.data[0].at(-1)!];
  const shown = (plot: uPlot): [number, number] => [plot.scales["x"]!.min!, plot.scales["x"]!.max!];
  const show = (plot: uPlot, [min, max]: [number, number]) => plot.setScale("x", { min, max });
  const isZoomed = (plot: uPlot): boolean => {
    const [from, to] = shown(plot);
    const [first, last] = whole(plot);
    return to - from < (last - first) * 0.999;
  };
  /** Moves the window with the hand, as long as it holds. */
  const grab = (plot: uPlot, event: MouseEvent) => {
    const from = shown(plot);
    const seconds = (from[1] - from[0]) / plot.over.clientWidth;
    const move = (now: MouseEvent) => show(plot, moved(from, whole(plot), (event.clientX - now.clientX) * seconds));
    const leave = () => {
      removeEventListener("mousemove", move);
      plot.over.classList.remove("held");
    };
    plot.over.classList.add("held");
    addEventListener("mousemove", move);
    addEventListener("mouseup", leave, { once: true });
  };
  const steer = (event: KeyboardEvent) => {
    const plot = plotted.current;
    if (!plot || plot.data[0].length < 2 || event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = shown(plot);
    const step = (to - from) / 8;
    const next =
      event.key === "ArrowLeft" ? moved([from, to], whole(plot), -step)
      : event.key === "ArrowRight" ? moved([from, to], whole(plot), step)
      : event.key === "+" || event.key === "=" ? moved([from, to], whole(plot), 0, 0.7)
      : event.key === "-" ? moved([from, to], whole(plot), 0, 1 / 0.7)
      : event.key === "0" ? whole(plot)
      : null;
    if (!next) return;
    event.preventDefault();
    show(plot, next);
  };
  useEffect(() => {
    const host = box.current!;
    const data = aligned(lines);
    const soft = color("--soft");
    const grid = color("--line");
    const axis: uPlot.Axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, font: `12px ${FONTS}` };
    const values = lines.flatMap((line) => line.points.flatMap((point) => point.value ?? []));
    const chart = new uPlot(
      {
        width: host.clientWidth || 600,
        height,
        padding: [12, 20, 0, 0],
        legend: { show: false },
        cursor: {
          y: false, points: { size: 7 }, drag: { x: true, y: false },
          // Dragging chooses a window; once there is one, dragging moves it.
          bind: { mousedown: (plot, _, choose) => (event: MouseEvent) => {
            if (event.button === 0 && isZoomed(plot)) grab(plot, event);
            else choose(event);
            return null;
          } },
        },
        scales: {
          x: { time: true },
          y: { range: (_, low, high) => {
            const all = [low, high, ...thresholds.map((one) => one.value)].filter((n) => n !== null && Number.isFinite(n));
            if (!all.length) return [0, 1];
            const [least, most] = [Math.min(...all), Math.max(...all)];
            const room = Math.max((most - least) * 0.12, Math.abs(most) * 0.02, 0.005);
            const inside = values.every((n) => n >= 0 && n <= 1);
            return [Math.max(inside || least >= 0 ? 0 : -Infinity, least - room), inside ? Math.min(1, most + room) : most + room];
          } },
        },
        axes: [{ ...axis, values: DATES }, { ...axis, size: 58, values: (_, ticks) => ticks.map((n) => write(n)) }],
        series: [
          {},
          ...lines.map((line, n) => ({
            label: line.name,
            stroke: color(`--line-${(n % 6) + 1}`),
            width: 2,
            spanGaps: false,
            ...(line.dash ? { dash: [6, 4] } : {}),
            ...(line.steps ? { paths: steps } : {}),
            points: { show: line.dots || line.points.length < 3 },
          })),
        ],
        hooks: {
          setScale: [
            (plot, scale) => {
              if (scale !== "x" || !plot.data[0].length) return;
              host.dataset["from"] = String(plot.scales["x"]!.min);
              setZoomed(isZoomed(plot));
              plot.over.classList.toggle("zoomed", isZoomed(plot));
            },
          ],
          setCursor: [
            (plot) => {
              const { idx, left } = plot.cursor;
              if (idx === null || idx === undefined || left === undefined || left < 0) return setTip(null);
              setTip({
                left: Math.min(left + plot.bbox.left / devicePixelRatio + 14, host.clientWidth - 190),
                at: plot.data[0][idx]!,
                values: lines.map((_, n) => standing(plot.data[n + 1] as (number | null | undefined)[], idx)),
              });
            },
          ],
          drawAxes: [(plot) => volume && drawVolume(plot, volume, soft)],
          draw: [
            (plot) => {
              const { ctx, bbox } = plot;
              ctx.save();
              ctx.lineWidth = devicePixelRatio;
              ctx.font = `${11 * devicePixelRatio}px ${FONTS}`;
              ctx.textAlign = "left";
              for (const mark of marks) {
                const x = plot.valToPos(mark.time, "x", true);
                if (x < bbox.left || x > bbox.left + bbox.width) continue;
                ctx.strokeStyle = ctx.fillStyle = color(mark.severity === "critical" ? "--bad" : "--warn");
                ctx.beginPath();
                ctx.moveTo(x, bbox.top);
                ctx.lineTo(x, bbox.top + bbox.height);
                ctx.stroke();
                ctx.beginPath();
                ctx.arc(x, bbox.top + 5 * devicePixelRatio, 4 * devicePixelRatio, 0, 7);
                ctx.fill();
                // Its name stands on the side with room; alerts, which are many, stand unnamed.
                if (mark.severity) continue;
                ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
                ctx.fillText(mark.label, x + (ctx.textAlign === "left" ? 8 : -8) * devicePixelRatio, bbox.top + 9 * devicePixelRatio);
              }
              ctx.textAlign = "left";
              ctx.textBaseline = "alphabetic";
              ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
              for (const one of thresholds) {
                const y = plot.valToPos(one.value, "y", true);
                ctx.strokeStyle = ctx.fillStyle = color("--warn");
                ctx.beginPath();
                ctx.moveTo(bbox.left, y);
                ctx.lineTo(bbox.left + bbox.width, y);
                ctx.stroke();
                ctx.fillText(one.label, bbox.left + 6 * devicePixelRatio, y - 5 * devicePixelRatio);
              }
              ctx.restore();
            },
          ],
        },
      },
      data,
      host,
    );
    plotted.current = chart;
    const sized = new ResizeObserver(() => chart.setSize({ width: host.clientWidth, height }));
    sized.observe(host);
    return () => {
      plotted.current = null;
      sized.disconnect();
      chart.destroy();
    };
  }, [lines, marks, thresholds, height, painted, volume]);
  return (
    <figure class="chart-frame" tabIndex={0} onKeyDown={steer} aria-label={`${label}. Plus and minus zoom, arrow keys move, 0 shows all.`}>
      <div class="chart" ref={box} role="img" aria-label={label} />
      {zoomed && <button class="button small chart-all" type="button" onClick={() => plotted.current && show(plotted.current, whole(plotted.current))}>Show all</button>}
      {tip && (
        <div class="chart-tip" style={{ left: `${tip.left}px`, top: "8px" }}>
          <div class="soft" title={format.utc(new Date(tip.at * 1000))}>{format.dateTime(new Date(tip.at * 1000))}</div>
          {lines.map((line, n) => <div key={n} class={`c${(n % 6) + 1}`}><b>{write(tip.values[n] ?? null)}</b> {lines.length > 1 && line.name}</div>)}
          {volume && <Traded volume={volume} at={tip.at} />}
        </div>
      )}
      {(lines.length > 1 || volume) && (
        <figcaption class="key">
          {lines.length > 1 && lines.map((line, n) => <span key={n} class={`c${(n % 6) + 1}`}><i class={line.dash ? "dashed" : ""} />{line.name}</span>)}
          {volume && <span class="soft"><i class="bars" />Volume, {scaleOf(volume)}</span>}
        </figcaption>
      )}
    </figure>
  );
}

/** The chance that something has happened by a time, over the times that are asked about. */
export function ByWhen({ points }: { points: { time: number; value: number }[] }) {
  const key = JSON.stringify(points);
  const lines = useMemo<Line[]>(() => [{ name: "by then", dots: true, points: [...points].sort((a, b) => a.time - b.time) }], [key]);
  if (points.length < 3) return null;
  return <Chart lines={lines} height={190} label={`Chance that it has happened by then: ${lines[0]!.points.map((one) => `${format.date(new Date(one.time * 1000))} ${format.percent(one.value)}`).join(", ")}`} />;
}

/** What was traded around a moment, and how long that took. */
function Traded({ volume, at }: { volume: Volume; at: number }) {
  const bar = barAt(volume.bars, at);
  if (!bar) return null;
  const minutes = Math.max(1, Math.round((bar.to - bar.from) / 60));
  const long = minutes < 60 ? `${minutes} min` : minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
  return <div class="soft">{volume.write(bar.volume)} in {long}</div>;
}

function standing(values: (number | null | undefined)[], at: number): number | null {
  for (let n = at; n >= 0; n--) if (values[n] !== undefined) return values[n] ?? null;
  return null;
}
