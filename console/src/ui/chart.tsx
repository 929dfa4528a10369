// Lines over time on a canvas, with a crosshair, markers of events and thresholds.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import * as format from "../lib/format.ts";
import { colour } from "../lib/theme.ts";

export interface Line {
  name: string;
  points: { time: number; value: number | null }[];
  /** Stands until the next point: prices do, interpolated values do not. */
  steps?: boolean;
  dash?: boolean;
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

export function Chart({ lines, label, height = 300, marks = [], thresholds = [], write = format.percent }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<{ left: number; at: number; values: (number | null)[] } | null>(null);
  const [painted, repaint] = useState(0);
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
  useEffect(() => {
    const host = box.current!;
    const data = aligned(lines);
    const soft = colour("--soft");
    const grid = colour("--line");
    const axis: uPlot.Axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, font: "12px system-ui, sans-serif" };
    const values = lines.flatMap((line) => line.points.flatMap((point) => point.value ?? []));
    const chart = new uPlot(
      {
        width: host.clientWidth || 600,
        height,
        padding: [12, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false } },
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
        axes: [axis, { ...axis, size: 58, values: (_, ticks) => ticks.map((n) => write(n)) }],
        series: [
          {},
          ...lines.map((line, n) => ({
            label: line.name,
            stroke: colour(`--line-${(n % 6) + 1}`),
            width: 2,
            spanGaps: false,
            ...(line.dash ? { dash: [6, 4] } : {}),
            ...(line.steps ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
            points: { show: line.points.length < 3 },
          })),
        ],
        hooks: {
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
          draw: [
            (plot) => {
              const { ctx, bbox } = plot;
              ctx.save();
              ctx.lineWidth = devicePixelRatio;
              ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
              ctx.textAlign = "left";
              for (const mark of marks) {
                const x = plot.valToPos(mark.time, "x", true);
                if (x < bbox.left || x > bbox.left + bbox.width) continue;
                ctx.strokeStyle = ctx.fillStyle = colour(mark.severity === "critical" ? "--bad" : "--warn");
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
                ctx.strokeStyle = ctx.fillStyle = colour("--warn");
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
    const sized = new ResizeObserver(() => chart.setSize({ width: host.clientWidth, height }));
    sized.observe(host);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [lines, marks, thresholds, height, painted]);
  return (
    <figure>
      <div class="chart" ref={box} role="img" aria-label={label} />
      {tip && (
        <div class="chart-tip" style={{ left: `${tip.left}px`, top: "8px" }}>
          <div class="soft" title={format.utc(new Date(tip.at * 1000))}>{format.dateTime(new Date(tip.at * 1000))}</div>
          {lines.map((line, n) => <div key={n} class={`c${(n % 6) + 1}`}><b>{write(tip.values[n] ?? null)}</b> {lines.length > 1 && line.name}</div>)}
        </div>
      )}
      {lines.length > 1 && (
        <figcaption class="key">{lines.map((line, n) => <span key={n} class={`c${(n % 6) + 1}`}><i class={line.dash ? "dashed" : ""} />{line.name}</span>)}</figcaption>
      )}
    </figure>
  );
}

function standing(values: (number | null | undefined)[], at: number): number | null {
  for (let n = at; n >= 0; n--) if (values[n] !== undefined) return values[n] ?? null;
  return null;
}
