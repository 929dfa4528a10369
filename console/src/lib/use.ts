// Hooks: what a page waits for, values that follow typing, keys.
import { useEffect, useRef, useState } from "preact/hooks";
import type { MarketList, Row } from "../api/types.ts";
import { ApiError, api, query } from "./api.ts";

export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
}

/** What `load` gives, anew whenever `keys` change; the last answer stays while the next comes. */
export function useLoad<T>(load: ((signal: AbortSignal) => Promise<T>) | null, keys: unknown[]): Loaded<T> {
  const [state, set] = useState<Omit<Loaded<T>, "reload">>({ data: undefined, error: undefined, loading: load !== null });
  const [round, again] = useState(0);
  useEffect(() => {
    if (load === null) {
      set({ data: undefined, error: undefined, loading: false });
      return;
    }
    const control = new AbortController();
    set((old) => ({ ...old, loading: true, error: undefined }));
    load(control.signal).then(
      (data) => control.signal.aborted || set({ data, error: undefined, loading: false }),
      (error: unknown) => {
        if (control.signal.aborted) return;
        const told = error instanceof ApiError ? error : new ApiError(0, "failed", String(error));
        set((old) => ({ data: old.data, error: told, loading: false }));
      },
    );
    return () => control.abort();
  }, [...keys, round]);
  return { ...state, reload: () => again((n) => n + 1) };
}

/** `value` once it has rested for `ms`. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** The page's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Augury` : "Augury";
  }, [title]);
}

export function useLatest<T>(value: T): { current: T } {
  const kept = useRef(value);
  kept.current = value;
  return kept;
}

const AT_ONCE = 100;

/** The markets of these ids as they stand now, by id; undefined until they are there. */
export function useMarkets(ids: string[]): Map<string, Row> | undefined {
  const wanted = [...new Set(ids)];
  const found = useLoad<Map<string, Row>>(
    wanted.length
      ? async (signal) => {
          const parts = Array.from({ length: Math.ceil(wanted.length / AT_ONCE) }, (_, n) => wanted.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
          const lists = await Promise.all(parts.map((part) =>
            api<MarketList>(`/v1/markets${query({ limit: AT_ONCE })}&${part.map((id) => query({ market_id: id }).slice(1)).join("&")}`, { signal })));
          return new Map(lists.flatMap((list) => list.items.map((row): [string, Row] => [row.id, row])));
        }
      : null,
    [wanted.join("\n")],
  );
  return wanted.length ? (found.data ?? (found.error && new Map())) : new Map();
}
