// Files of markets and prices into the catalogue: sent in parts, read by a worker, told of row by row.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, api } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { useLoad } from "../lib/use.ts";
import { Ago, Failure, Loading } from "./parts.tsx";

const AT = "/internal/v1/admin/imports";
const LOOK_EVERY = 1000;

interface Summary {
  kind: "markets" | "prices";
  read: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: Record<string, number>;
  quarantined: Record<string, number>;
  examples: Record<string, string[]>;
  seconds: number;
}

interface Import {
  id: string;
  name: string;
  bytes: number;
  received: number;
  part_bytes: number;
  state: "receiving" | "waiting" | "running" | "done" | "failed" | "canceled";
  stage: string | null;
  rows: number | null;
  done: number | null;
  summary: Summary | null;
  error: string | null;
  created_at: string;
}

const count = (n: number): string => n.toLocaleString("en-US");
const open = (one: Import): boolean => one.state === "waiting" || one.state === "running";

/** Sends a file part by part and has it read. */
async function send(file: File, stop: AbortSignal): Promise<void> {
  const made = await api<Import>(AT, { body: { name: file.name, bytes: file.size }, signal: stop });
  try {
    for (let n = 0, at = 0; at < file.size; n++, at += made.part_bytes) {
      await api(`${AT}/${made.id}/parts/${n}`, { method: "PUT", body: file.slice(at, at + made.part_bytes), signal: stop, patience: 20 });
    }
    await api(`${AT}/${made.id}/start`, { method: "POST", signal: stop });
  } catch (error) {
    void api(`${AT}/${made.id}`, { method: "DELETE" }).catch(() => {});
    throw error;
  }
}

export function CatalogueImport({ sample }: { sample: boolean }) {
  const found = useLoad<{ items: Import[] }>((signal) => api(AT, { signal }), []);
  const [sending, setSending] = useState<string | null>(null);
  const [failure, fail] = useState<ApiError | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const items = found.data?.items ?? [];
  const busy = sending !== null || items.some(open);
  useEffect(() => {
    if (!busy || found.loading) return;
    const timer = setTimeout(found.reload, LOOK_EVERY);
    return () => clearTimeout(timer);
  }, [busy, found.loading]);
  const take = async (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])];
    fail(null);
    stop.current = new AbortController();
    try {
      for (const file of files) {
        setSending(file.name);
        await send(file, stop.current.signal);
      }
    } catch (error) {
      if (!stop.current.signal.aborted) fail(error as ApiError);
    }
    setSending(null);
    input.value = "";
    found.reload();
  };
  const drop = async (one: Import) => {
    fail(null);
    if (one.state === "receiving") stop.current?.abort();
    await api(`${AT}/${one.id}`, { method: "DELETE" }).catch((error: ApiError) => error.status !== 404 && fail(error));
    found.reload();
  };
  return (
    <section class="card stack" aria-label="Import">
      <div>
        <h2>Import markets and prices</h2>
        <p class="soft small">Parquet, CSV or JSON lines. Of markets the columns <code>id</code>, <code>platform</code>, <code>question</code>, <code>status</code> and more; of prices <code>market_id</code>, <code>ts</code>, <code>price</code>. Markets first: prices refer to them. What is known better already stays.{sample && " The sample goes with the first market imported."}</p>
      </div>
      <label class="field" style={{ maxWidth: "34rem" }}>Files on this machine
        <input class="input" type="file" multiple accept=".parquet,.pq,.csv,.jsonl,.ndjson" disabled={sending !== null} onChange={(event) => void take(event.currentTarget)} />
      </label>
      {failure && <Failure error={failure} />}
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="imports" lines={1} /> : items.length > 0 && (
        <ul>{items.map((one) => <Progress key={one.id} one={one} drop={() => void drop(one)} />)}</ul>
      )}
    </section>
  );
}

const SAID: Record<Import["state"], string> = { receiving: "arriving", waiting: "waiting for a worker", running: "running", done: "done", failed: "failed", canceled: "given up" };
const MARK: Partial<Record<Import["state"], string>> = { done: "good", failed: "bad", running: "info", receiving: "info" };

function Progress({ one, drop }: { one: Import; drop: () => void }) {
  const going = open(one) || one.state === "receiving";
  const [max, value] = one.state === "receiving" ? [one.bytes, one.received] : [one.rows ?? 1, one.done ?? 0];
  const said =
    one.state === "receiving" ? `${format.bytes(one.received)} of ${format.bytes(one.bytes)} are here`
    : one.state === "running" && one.rows ? `${count(one.done ?? 0)} of ${count(one.rows)} rows`
    : one.state === "running" ? "Opening the file" : "";
  return (
    <li class="item">
      <div class="rowline between">
        <span><b>{one.name}</b> <span class="soft small">{format.bytes(one.bytes)}, <Ago at={one.created_at} /></span></span>
        <span class="rowline">
          <span class={`chip ${MARK[one.state] ?? ""}`}>{SAID[one.state]}</span>
          <button class="button small" type="button" onClick={drop} aria-label={`${going ? "Stop" : "Forget"} ${one.name}`}>{going ? "Stop" : "Forget"}</button>
        </span>
      </div>
      {going && (
        <div role="status">
          <progress max={max} value={one.state === "waiting" ? undefined : value} aria-label={`${one.name}: ${SAID[one.state]}`} />
          {said && <p class="small soft">{said}</p>}
        </div>
      )}
      {one.error && <p class="grade hinted">{one.error}</p>}
      {one.summary && <Outcome summary={one.summary} />}
    </li>
  );
}

function Outcome({ summary }: { summary: Summary }) {
  const reasons = Object.entries(summary.refused);
  const held = Object.entries(summary.quarantined);
  return (
    <div class="small stack" style={{ gap: ".3rem" }}>
      <p>{count(summary.read)} {summary.read === 1 ? summary.kind.slice(0, -1) : summary.kind} read in {summary.seconds.toFixed(1)} s: {count(summary.added)} new, {count(summary.updated)} changed, {count(summary.unchanged)} as they were.</p>
      {reasons.length > 0 && (
        <details>
          <summary>{count(reasons.reduce((sum, [, n]) => sum + n, 0))} refused</summary>
          <ul>{reasons.map(([reason, n]) => (
            <li key={reason}>{count(n)}: {reason}{summary.examples[reason]?.length ? <span class="soft">, like {summary.examples[reason]!.map((text) => text.slice(0, 120)).join("; ")}</span> : null}</li>
          ))}</ul>
        </details>
      )}
      {held.length > 0 && <p>{held.map(([reason, n]) => `${count(n)} quotes held (${reason})`).join(", ")}. See <code>augury markets quarantine</code>.</p>}
    </div>
  );
}
