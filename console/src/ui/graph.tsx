// The causal graph: laid out once, moved by hand or keys, told in words, kept as SVG or PNG.
import dagre from "@dagrejs/dagre";
import { select } from "d3-selection";
import { type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Graph, GraphEdge, GraphNode } from "../api/types.ts";
import { fileName, save } from "../lib/save.ts";
import * as format from "../lib/format.ts";
import { useMarkets } from "../lib/use.ts";
import { Loading, MarketRow } from "./parts.tsx";

const LINE = 17;
const WIDTH = 210;
const LETTERS = 29;
const MOST_LINES = 4;
const READABLE = 0.85;

type Sign = "raises" | "lowers" | "logic" | "unclear";

/** How an edge acts: by its own word where the service says so, else by its label. */
export function signOf(edge: GraphEdge): Sign {
  const type = `${edge.edge_type ?? ""} ${edge.relationship}`.toLowerCase();
  if (/implie|equivalent|exclu|same as|subset|logic|contain|bound|one of|asks/.test(type)) return "logic";
  if (edge.polarity === "positive" || /raise|more likely|increase|lift|support/.test(type)) return "raises";
  if (edge.polarity === "negative" || /lower|less likely|decrease|reduce|cut/.test(type)) return "lowers";
  return "unclear";
}

const MARK: Record<Sign, string> = { raises: "+", lowers: "−", logic: "=", unclear: "?" };
const WORD: Record<Sign, string> = { raises: "raises", lowers: "lowers", logic: "is tied by logic to", unclear: "bears on" };
/** Why an arrow has no direction of its own. */
const UNCLEAR = " (Which way depends: one of the two asks for a range or for one of several outcomes.)";

export function wrapped(text: string, letters = LETTERS, most = MOST_LINES): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.length > letters ? `${word.slice(0, letters - 1)}…` : word);
  }
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]!.slice(0, letters - 1)}…`] : lines;
}

interface Box {
  node: GraphNode;
  lines: string[];
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Link {
  edge: GraphEdge;
  sign: Sign;
  points: { x: number; y: number }[];
  /** Where its sign stands: a place that the layout kept free. */
  x: number;
  y: number;
}

export function laidOut(graph: Graph): { boxes: Box[]; links: Link[]; width: number; height: number } {
  const plan = new dagre.graphlib.Graph({ multigraph: true });
  plan.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 70, edgesep: 18, marginx: 24, marginy: 24 });
  plan.setDefaultEdgeLabel(() => ({}));
  const known = new Set(graph.nodes.map((node) => node.id));
  const lines = new Map(graph.nodes.map((node) => [node.id, wrapped(node.label)]));
  for (const node of graph.nodes) {
    plan.setNode(node.id, { width: WIDTH + 24, height: lines.get(node.id)!.length * LINE + 46 });
  }
  const edges = graph.edges.filter((edge) => known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target);
  edges.forEach((edge, n) => plan.setEdge(edge.source, edge.target, { width: 26, height: 26, labelpos: "c" }, String(n)));
  dagre.layout(plan);
  const size = plan.graph() as { width?: number; height?: number };
  return {
    boxes: graph.nodes.map((node) => ({ node, lines: lines.get(node.id)!, ...(plan.node(node.id) as unknown as Omit<Box, "node" | "lines">) })),
    links: edges.map((edge, n) => {
      const found = plan.edge({ v: edge.source, w: edge.target, name: String(n) }) as unknown as Omit<Link, "edge" | "sign">;
      return { edge, sign: signOf(edge), points: found.points, x: found.x, y: found.y };
    }),
    width: size.width ?? 600,
    height: size.height ?? 300,
  };
}

const curve = (points: { x: number; y: number }[]): string => {
  const [first, ...rest] = points;
  let path = `M${first!.x},${first!.y}`;
  for (let n = 0; n < rest.length - 1; n++) {
    const [a, b] = [rest[n]!, rest[n + 1]!];
    path += ` Q${a.x},${a.y} ${(a.x + b.x) / 2},${(a.y + b.y) / 2}`;
  }
  const last = rest.at(-1)!;
  return `${path} L${last.x},${last.y}`;
};

/** Strength from which a line is as wide as any: few kinds of edges come near it. */
const STRONGEST = 0.25;
const widthOf = (edge: GraphEdge): number => 1.3 + 3.2 * Math.min(1, Math.max(0, (edge.strength ?? 0) / STRONGEST));

/** One edge as a sentence. */
export function sentence(edge: GraphEdge, names: Map<string, string>): string {
  const [from, to] = [names.get(edge.source) ?? edge.source, names.get(edge.target) ?? edge.target];
  const strength = edge.strength == null ? "" : ` (such markets move together on ${Math.round(100 * edge.strength)}% of days)`;
  const why = edge.description ? `: ${edge.description}` : ".";
  return `“${from}” ${WORD[signOf(edge)]} “${to}”${strength}${why}${signOf(edge) === "unclear" ? UNCLEAR : ""}`;
}

/** Where the causal base tells of an edge; the question itself is no factor of it. */
const causePath = (edge: GraphEdge): string => `/causes?q=${encodeURIComponent(edge.source === "question" ? edge.target : edge.source)}`;

export function CausalGraph({ graph, title }: { graph: Graph; title: string }) {
  const plan = useMemo(() => laidOut(graph), [graph]);
  const names = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node.label])), [graph]);
  const canvas = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const mover = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
  const [chosen, choose] = useState<GraphNode | null>(null);
  const rows = useMarkets(chosen?.markets.map((market) => market.id) ?? []);

  /** All of it, but no smaller than `least`. */
  const fit = (least = READABLE) => {
    const host = canvas.current;
    if (!host || !mover.current) return;
    // Small enough to see it all, large enough to read: a large graph begins at its question.
    const whole = Math.min(1.1, host.clientWidth / plan.width, host.clientHeight / plan.height);
    const scale = Math.max(whole, least);
    const center = plan.boxes.find((box) => box.node.id === "question") ?? { x: plan.width / 2, y: plan.height / 2 };
    const along = (room: number, size: number, middle: number) =>
      size * scale <= room ? (room - size * scale) / 2 : Math.min(0, Math.max(room - size * scale, room / 2 - middle * scale));
    const moved = zoomIdentity
      .translate(along(host.clientWidth, plan.width, center.x), along(host.clientHeight, plan.height, center.y))
      .scale(scale);
    select(host).call(mover.current.transform, moved);
  };
  useEffect(() => {
    const host = canvas.current!;
    mover.current = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.15, 3])
      // The wheel scrolls the page; with Ctrl (or a pinch) it zooms.
      .filter((event: MouseEvent & { touches?: TouchList }) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button))
      .on("zoom", (event: { transform: { toString(): string } }) => world.current?.setAttribute("transform", event.transform.toString()));
    select(host).call(mover.current);
    fit();
    const sized = new ResizeObserver(() => fit());
    sized.observe(host);
    return () => {
      sized.disconnect();
      select(host).on(".zoom", null);
    };
  }, [plan]);
  const by = (factor: number) => select(canvas.current!).call(mover.current!.scaleBy, factor);
  const pan = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) select(canvas.current!).call(mover.current!.translateBy, step[0]!, step[1]!);
    else if (event.key === "+" || event.key === "=") by(1.25);
    else if (event.key === "-") by(0.8);
    else if (event.key === "0") fit(0);
    else return;
    event.preventDefault();
  };
  const target = graph.nodes.find((node) => node.id === "question") ?? null;
  return (
    <section class="card stack" aria-label="Causes and consequences">
      <div class="rowline between">
        <h2>Causes and consequences</h2>
        <div class="legend">
          <span><Sample sign="raises" /> raises</span>
          <span><Sample sign="lowers" /> lowers</span>
          {plan.links.some((link) => link.sign === "logic") && <span><Sample sign="logic" /> tied by logic</span>}
          {plan.links.some((link) => link.sign === "unclear") && <span title="One of the two asks for a range or for one of several outcomes."><Sample sign="unclear" /> bears on it, one way or the other</span>}
          <span>the wider, the more often they moved together</span>
          <span>drag to move</span>
        </div>
      </div>
      <div class="graph" onKeyDown={pan}>
        <svg ref={canvas} role="group" aria-label={`Causal graph of ${graph.nodes.length} nodes; the same in words below`}>
          <g ref={world}>
            {plan.links.map(({ edge, sign, points, x, y }, n) => (
              <a key={n} href={causePath(edge)} tabindex={-1} aria-hidden="true">
                <title>{sentence(edge, names)}</title>
                <path class="edge-hold" d={curve(points)} />
                <path class={`edge ${sign}`} d={curve(points)} stroke-width={widthOf(edge)} />
                <Arrow points={points} sign={sign} size={5 + widthOf(edge) * 1.3} />
                <Sign sign={sign} x={x} y={y} />
              </a>
            ))}
            {plan.boxes.map(({ node, lines, x, y, width, height }) => (
              <g key={node.id} class={`node ${node.id === "question" ? "question" : ""} ${chosen?.id === node.id ? "chosen" : ""}`}
                transform={`translate(${x - width / 2},${y - height / 2})`} tabindex={0} role="button"
                onClick={() => choose(node)} onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(node); } }}>
                <rect width={width} height={height} rx="11" />
                <text x="14" y="24">{lines.map((line, n) => <tspan key={n} x="14" dy={n ? LINE : 0}>{`${line} `}</tspan>)}</text>
                <text class="node-price" x="14" y={height - 13}>{format.percent(node.current_probability)}</text>
                <text class="node-count" x={width - 14} y={height - 13} text-anchor="end">
                  {node.markets.length ? `${node.markets.length} ${node.markets.length === 1 ? "market" : "markets"}` : "no market"}
                </text>
              </g>
            ))}
          </g>
        </svg>
        <div class="graph-tools">
          <button class="button small" type="button" onClick={() => by(1.3)} aria-label="Zoom in">+</button>
          <button class="button small" type="button" onClick={() => by(0.77)} aria-label="Zoom out">−</button>
          <button class="button small" type="button" onClick={() => fit(0)}>See all</button>
          <button class="button small" type="button" onClick={() => keep(canvas.current!, plan, title, "svg")}>SVG</button>
          <button class="button small" type="button" onClick={() => keep(canvas.current!, plan, title, "png")}>PNG</button>
        </div>
      </div>
      <div aria-live="polite">
        {chosen && (
          <div class="stack">
            <h3>{chosen.label}</h3>
            {!chosen.markets.length ? <p class="soft">No market prices this; it stands in the causal base.</p>
              : !rows ? <Loading what="its markets" lines={2} />
              : <ul class="rows">{chosen.markets.map((row) => <MarketRow key={row.id} row={rows.get(row.id) ?? row} />)}</ul>}
            {chosen.id !== "question" && <p><a href={`/causes?q=${encodeURIComponent(chosen.id)}`}>What drives it and what follows, in the causal base</a></p>}
          </div>
        )}
      </div>
      <details>
        <summary>The graph in words</summary>
        <ul class="stack" style={{ gap: ".4rem", marginTop: ".6rem" }}>
          {target && <li>The question is at {format.percent(target.current_probability)}.</li>}
          {graph.edges.map((edge, n) => <li key={n}>{sentence(edge, names)} <a href={causePath(edge)} aria-label={`In the base: ${names.get(edge.source)} and ${names.get(edge.target)}`}>In the base</a></li>)}
        </ul>
      </details>
    </section>
  );
}

/** Signs differ by shape as well as by color. */
function Sign({ sign, x, y }: { sign: Sign; x: number; y: number }) {
  const shape =
    sign === "raises" ? <path class="sign raises" d={`M${x},${y - 11} l11,19 h-22 z`} />
    : sign === "lowers" ? <path class="sign lowers" d={`M${x},${y + 11} l11,-19 h-22 z`} />
    : sign === "logic" ? <rect class="sign logic" x={x - 9} y={y - 9} width="18" height="18" rx="3" />
    : <circle class="sign" cx={x} cy={y} r="9" />;
  return <>{shape}<text class="sign-mark" x={x} y={sign === "raises" ? y + 2 : sign === "lowers" ? y - 2 : y}>{MARK[sign]}</text></>;
}

const Sample = ({ sign }: { sign: Sign }) => <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><Sign sign={sign} x={12} y={12} /></svg>;

function Arrow({ points, sign, size }: { points: { x: number; y: number }[]; sign: Sign; size: number }) {
  const [before, end] = [points.at(-2)!, points.at(-1)!];
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return <path class={`sign ${sign}`} d={`M0,0 L${-size * 1.6},${-size * 0.75} L${-size * 1.6},${size * 0.75} z`} transform={`translate(${end.x},${end.y}) rotate(${angle})`} />;
}

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/** The picture as a file that needs no style sheet. */
function keep(canvas: SVGSVGElement, plan: { width: number; height: number }, title: string, kind: "svg" | "png"): void {
  const copy = canvas.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[...canvas.querySelectorAll("*")], [...copy.querySelectorAll("*")]];
  from.forEach((element, n) => {
    const style = getComputedStyle(element);
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value) to[n]!.setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "role"]) to[n]!.removeAttribute(name);
  });
  copy.querySelector("g")!.removeAttribute("transform");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
  copy.setAttribute("width", String(plan.width));
  copy.setAttribute("height", String(plan.height));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  const file = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const name = fileName(title);
  if (kind === "svg") return save(file, `${name}.svg`);
  const picture = new Image();
  const address = URL.createObjectURL(file);
  picture.onload = () => {
    const drawn = document.createElement("canvas");
    [drawn.width, drawn.height] = [plan.width * 2, plan.height * 2];
    drawn.getContext("2d")!.drawImage(picture, 0, 0, drawn.width, drawn.height);
    drawn.toBlob((png) => png && save(png, `${name}.png`), "image/png");
    URL.revokeObjectURL(address);
  };
  picture.src = address;
}
