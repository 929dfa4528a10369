// A file of targets onto a watchlist, with its progress, and with what was refused and why.
import { useRef, useState } from "preact/hooks";
import { ApiError, api } from "../lib/api.ts";
import { type Wanted, wantedOf } from "../lib/csv.ts";

const AT_ONCE = 25;
const MOST = 2000;

interface State {
  all: number;
  done: number;
  added: number;
  refused: { line: number; ref: string; why: string }[];
}

export function ImportTargets({ at, changed }: { at: string; changed: () => void }) {
  const [state, set] = useState<State | null>(null);
  const [failure, fail] = useState<string | null>(null);
  const busy = useRef(false);
  const read = async (file: File | undefined) => {
    if (!file || busy.current) return;
    fail(null);
    set(null);
    const wanted = file.size > 5e6 ? [] : wantedOf(await file.text());
    if (!wanted.length || wanted.length > MOST) {
      return fail(wanted.length > MOST ? `${file.name} has ${wanted.length.toLocaleString("en-US")} rows. Take at most ${MOST.toLocaleString("en-US")} at once.`
        : `${file.name} holds nothing to watch. It wants a column “ref” (or “id”) of market ids; “kind”, “outcome” and “label” if you like.`);
    }
    busy.current = true;
    let now: State = { all: wanted.length, done: 0, added: 0, refused: [] };
    const step = (part: Partial<State>) => set((now = { ...now, ...part }));
    step({});
    const refuse = (one: Wanted, error: unknown) => ({ line: one.line, ref: one.ref, why: (error as ApiError).message });
    const body = ({ line: _, ...target }: Wanted) => target;
    for (let n = 0; n < wanted.length; n += AT_ONCE) {
      const part = wanted.slice(n, n + AT_ONCE);
      try {
        await api(`${at}/targets/bulk`, { body: { targets: part.map(body) }, patience: 5 });
        step({ done: now.done + part.length, added: now.added + part.length });
      } catch {
        // All of a part or none: one by one the good ones are added and the others told of.
        for (const one of part) {
          try {
            await api(`${at}/targets`, { body: body(one), patience: 5 });
            step({ done: now.done + 1, added: now.added + 1 });
          } catch (error) {
            step({ done: now.done + 1, refused: [...now.refused, refuse(one, error)] });
          }
        }
      }
    }
    busy.current = false;
    changed();
  };
  return (
    <details class="card">
      <summary>Import a file</summary>
      <div class="stack" style={{ marginTop: ".8rem", gap: ".7rem" }}>
        <label class="field">A CSV file with a column “ref” or “id” of market ids, like every list here gives one
          <input class="input" type="file" accept=".csv,text/csv,text/plain" onChange={(event) => void read(event.currentTarget.files?.[0])} />
        </label>
        {failure && <p role="alert">{failure}</p>}
        {state && (
          <div role="status">
            <progress max={state.all} value={state.done} aria-label="Rows imported" style={{ width: "100%" }} />
            <p>{state.done < state.all ? `${state.done} of ${state.all} rows` : `Done: ${state.added} of ${state.all} rows are watched now.`}</p>
          </div>
        )}
        {state && state.refused.length > 0 && (
          <ul class="small">
            {state.refused.slice(0, 20).map((one) => <li key={one.line}>Line {one.line}, {one.ref}: {one.why}</li>)}
            {state.refused.length > 20 && <li>and {state.refused.length - 20} more</li>}
          </ul>
        )}
      </div>
    </details>
  );
}
