// What pages are made of: prices with their age, marks of trust, states, tabs, dialogs.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Row } from "../api/types.ts";
import type { ApiError } from "../lib/api.ts";
import { spread } from "../lib/csv.ts";
import * as format from "../lib/format.ts";
import { save } from "../lib/save.ts";
import { EmptyIcon, WarnIcon } from "./icons.tsx";
import { Spark } from "./spark.tsx";

/**
 * A moment as its distance from now; the reader's zone and UTC on hover. Of a replay: `from` is the
 * moment replayed, and the distance is from there.
 */
export function Ago({ at, prefix = "", from = null }: { at: string | null | undefined; prefix?: string; from?: string | null }) {
  if (!at) return <span>{prefix}time unknown</span>;
  return (
    <time dateTime={at} title={`${format.dateTime(at)}\n${format.utc(at)}`}>
      {prefix}{from ? format.before(at, from) : format.ago(at)}
    </time>
  );
}

export function When({ at, day = false }: { at: string; day?: boolean }) {
  return (
    <time dateTime={at} title={format.utc(at)}>
      {day ? format.date(at) : format.dateTime(at)}
    </time>
  );
}

export const Venue = ({ platform }: { platform: string }) => (
  <span class={`chip ${platform}`}>{format.venue(platform)}</span>
);

const OLD = 14 * format.DAY;
export const isStale = (row: Pick<Row, "stale" | "price_as_of" | "status">): boolean =>
  row.stale ?? (row.status === "active" && !!row.price_as_of && Date.now() - Date.parse(row.price_as_of) > OLD);

/** What a reader must know before believing a number. */
export function Marks({ row }: { row: Pick<Row, "stale" | "price_as_of" | "status" | "origin"> }) {
  return (
    <>
      {isStale(row) && <span class="chip stale" title="Its venue has not been heard of for too long: do not rely on this price.">stale</span>}
      {row.origin === "sample" && <span class="chip sample" title="An invented market of the sample, on no venue.">sample</span>}
      {row.origin === "replay" && <span class="chip" title="As things stood at an earlier time.">replayed</span>}
      {row.status && row.status !== "active" && <span class="chip">{row.status}</span>}
    </>
  );
}

export function Price({ row }: { row: Row }) {
  const lead = format.leading(row.current_prices, row.outcomes);
  if (!lead) return <div class="price"><span class="price-n soft">–</span><span class="price-of">no quote</span></div>;
  const named = lead.outcome.toLowerCase() !== "yes";
  return (
    <div class="price">
      <span class="price-n">{format.percent(lead.price)}</span>
      {named && <span class="price-of" title={lead.outcome}>{lead.outcome}</span>}
      <span class={`price-age ${isStale(row) ? "stale" : ""}`}><Ago at={row.price_as_of} /></span>
      <Spark id={row.id} />
    </div>
  );
}

export const marketPath = (id: string): string => `/market/${encodeURIComponent(id).replaceAll("%3A", ":").replaceAll("%2F", "/")}`;

/** Venue, marks, close and volume of a market: what stands below its question. */
export const MarketMeta = ({ row }: { row: Row }) => (
  <div class="meta">
    <Venue platform={row.platform} />
    <Marks row={row} />
    {row.closes_at && <span>{Date.parse(row.closes_at) > Date.now() ? "closes" : "closed"} <When at={row.closes_at} day /></span>}
    {row.volume !== undefined && row.volume !== null && <span>{format.volumeOf(row.volume, row.platform)}</span>}
  </div>
);

/** A market in a list; the whole row leads to it. */
export function MarketRow({ row, twins = [], reason }: { row: Row; twins?: Row[]; reason?: string | null }) {
  const mine = format.leading(row.current_prices, row.outcomes)?.price;
  return (
    <li class="row">
      <a class="question" href={marketPath(row.id)} data-row>{row.question}</a>
      <Price row={row} />
      <MarketMeta row={row} />
      {twins.map((twin) => {
        const theirs = format.leading(twin.current_prices, twin.outcomes)?.price;
        return (
          <a class="twin" href={marketPath(twin.id)} key={twin.id}>
            <Venue platform={twin.platform} />
            <span>{format.percent(theirs)}</span>
            {mine != null && theirs != null && format.together(row.price_as_of, twin.price_as_of) && <span class="soft">{format.points(theirs - mine)} to this one</span>}
          </a>
        );
      })}
      {row.family && <Members members={row.family.more} what="like this" />}
      {!!row.also?.length && <Members members={row.also} what="about the same thing" />}
      {reason && <p class="reason">{reason}</p>}
    </li>
  );
}

/** Markets without a row of their own, behind a line that says how many there are. */
function Members({ members, what }: { members: NonNullable<Row["also"]>; what: string }) {
  return (
    <details class="family">
      <summary class="soft small">{members.length} more {what}</summary>
      <ul>
        {members.map((one) => (
          <li key={one.id}>
            <a href={marketPath(one.id)}>{one.label}</a> <span>{format.percent(one.price)}</span>
            {one.status !== "active" && <span class="soft"> {one.status}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

// --- states ------------------------------------------------------------------------------------

export const Loading = ({ lines = 4, what }: { lines?: number; what: string }) => (
  <div class="stack" role="status" aria-label={`Loading ${what}`}>
    {Array.from({ length: lines }, (_, n) => <div class="skeleton" key={n}>&nbsp;<br />&nbsp;</div>)}
  </div>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state"><EmptyIcon /><h2>{title}</h2>{children && <p>{children}</p>}</div>
);

/** What happened, and what to do. */
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  const title =
    error.status === 0 ? "The service does not answer"
    : error.status === 401 ? "Sign in to see this"
    : error.status === 403 ? "Your key does not cover this"
    : error.status === 404 ? "Not found"
    : error.status === 429 ? "Too many requests"
    : error.status === 422 ? "This can't be asked so"
    : "This did not work";
  return (
    <div class="state error" role="alert">
      <WarnIcon />
      <h2>{title}</h2>
      <p>{error.message}</p>
      {error.status === 403 && <p class="small">A key with that scope gives it: <code>augury keys create --account me --scope …</code></p>}
      <div class="rowline">
        {(error.status === 401 || error.status === 403) && <a class="button first" href={`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</a>}
        {retry && error.status !== 401 && <button class="button" type="button" onClick={retry}>Try again</button>}
      </div>
    </div>
  );
}

// --- controls ----------------------------------------------------------------------------------

export function Tabs<T extends string>({ label, tabs, chosen, choose, panel }: {
  label: string; tabs: { id: T; title: ComponentChildren }[]; chosen: T; choose: (id: T) => void; panel: string;
}) {
  const at = tabs.findIndex((tab) => tab.id === chosen);
  const list = useRef<HTMLDivElement>(null);
  // Where the tabs do not all fit, the chosen one does.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (tab) list.current!.scrollLeft = tab.offsetLeft - list.current!.offsetLeft - (list.current!.clientWidth - tab.clientWidth) / 2;
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    const next = tabs[(at + by + tabs.length) % tabs.length]!;
    choose(next.id);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map((tab) => (
        <button key={tab.id} type="button" role="tab" id={`${panel}-${tab.id}`} data-tab={tab.id} aria-controls={panel}
          aria-selected={tab.id === chosen} tabIndex={tab.id === chosen ? 0 : -1} onClick={() => choose(tab.id)}>
          {tab.title}
        </button>
      ))}
    </div>
  );
}

export function Segments<T extends string>({ label, options, chosen, choose }: {
  label: string; options: { id: T; title: string }[]; chosen: T; choose: (id: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option.id} type="button" aria-pressed={option.id === chosen} onClick={() => choose(option.id)}>{option.title}</button>
      ))}
    </div>
  );
}

export function Dialog({ title, open, close, children }: {
  title: string; open: boolean; close: () => void; children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open && !box.current?.open) box.current?.showModal();
    if (!open && box.current?.open) box.current.close();
  }, [open]);
  if (!open) return null;
  return (
    <dialog ref={box} aria-labelledby={id} onClose={close}>
      <div class="stack">
        <div class="rowline between">
          <h2 id={id}>{title}</h2>
          <button class="button quiet small" type="button" onClick={close} aria-label="Close">✕</button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Copies a text and says so. */
export function Copy({ text, children }: { text: string | (() => string); children: ComponentChildren }) {
  const [said, say] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      say("Copied");
    } catch {
      say("Your browser did not allow copying");
    }
    setTimeout(() => say(""), 1800);
  };
  return (
    <button class="button small" type="button" onClick={() => void copy()}>
      <span aria-live="polite">{said || children}</span>
    </button>
  );
}

/** The same data for programs. `csv`: the address of a table, or its name and rows where the service has none. */
export const Data = ({ json, csv }: { json: string; csv?: string | { name: string; rows: object[] } }) => (
  <p class="small soft rowline">
    <span>The same data:</span>
    <a href={json} target="_blank" rel="noopener">JSON</a>
    {typeof csv === "string" ? <a href={csv} target="_blank" rel="noopener">CSV</a> : csv && <Table {...csv} />}
  </p>
);

/** A button that keeps rows as a file for spreadsheets. */
export const Table = ({ name, rows, kind = "link-button" }: { name: string; rows: object[]; kind?: string }) => (
  <button class={kind} type="button" disabled={!rows.length} onClick={() => save(new Blob(["\uFEFF", spread(rows)], { type: "text/csv" }), `${name}.csv`)}>CSV</button>
);
