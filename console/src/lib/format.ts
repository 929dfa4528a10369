// Numbers, times and names as people read them. Pure.
import type { Prices } from "../api/types.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A probability as percent: "44%", "0.4%", "<0.1%", "99.6%"; never 0% or 100% unless it is. */
export function percent(p: number | null | undefined): string {
  if (p === null || p === undefined || Number.isNaN(p)) return "–";
  if (p === 0 || p === 1) return `${p * 100}%`;
  if (p < 0.001) return "<0.1%";
  if (p > 0.999) return ">99.9%";
  const digits = p < 0.0995 || p > 0.9005 ? 1 : 0;
  return `${(p * 100).toFixed(digits).replace(/\.0$/, "")}%`;
}

/** A quantity as whole percent: volatilities, which have no edges at 0 and 1. */
export const whole = (n: number | null | undefined): string => (n === null || n === undefined ? "–" : `${Math.round(n * 100)}%`);

/** A loss against that of a reference, as their ratio: "17.2% better". */
export const against = (ratio: number | null): string =>
  ratio === null ? "–" : Math.abs(ratio - 1) < 0.0005 ? "same" : `${Math.abs((ratio - 1) * 100).toFixed(1)}% ${ratio < 1 ? "better" : "worse"}`;

/** A difference of two probabilities in points, with its sign. */
export function points(difference: number): string {
  const n = Math.round(difference * 100);
  return `${n > 0 ? "+" : n < 0 ? "−" : "±"}${Math.abs(n)} pt`;
}

/** Whether two prices are near enough in time for their difference to mean something: two days. */
export const together = (a: string | null | undefined, b: string | null | undefined): boolean =>
  !!a && !!b && Math.abs(Date.parse(a) - Date.parse(b)) <= 2 * DAY;

/** How long ago, in the largest unit: "just now", "12 min ago", "3 h ago", "265 days ago". */
export function ago(then: string | Date | null | undefined, now = Date.now()): string {
  if (!then) return "time unknown";
  const ms = now - new Date(then).getTime();
  if (ms < 0) return until(then, now);
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? "1 day ago" : `${days.toLocaleString("en-US")} days ago`;
}

/** The same as seen from an earlier moment: "18 h before". */
export const before = (then: string, moment: string): string =>
  ago(then, Date.parse(moment)).replace(/ ago$/, " before").replace("just now", "at that moment");

export function until(then: string | Date, now = Date.now()): string {
  const ms = new Date(then).getTime() - now;
  if (ms < HOUR) return `in ${Math.max(1, Math.floor(ms / MINUTE))} min`;
  if (ms < DAY) return `in ${Math.floor(ms / HOUR)} h`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? "in 1 day" : `in ${days.toLocaleString("en-US")} days`;
}

/** A length of time from seconds, in the largest unit that tells it: "90 min", "24 h", "40 days". */
export function span(seconds: number): string {
  const [size, unit] = seconds < 2 * 3600 ? [60, "min"] : seconds < 2 * 86_400 ? [3600, "h"] : [86_400, "days"];
  return `${Number((seconds / (size as number)).toFixed(1)).toLocaleString("en-US")} ${unit}`;
}

/** Money and counts in short: 950, 12.4k, 1.9M. */
export function short(n: number | null | undefined): string {
  if (n === null || n === undefined) return "–";
  for (const [size, unit] of [[1e9, "B"], [1e6, "M"], [1e3, "k"]] as const) {
    if (Math.abs(n) >= size) return `${(n / size).toFixed(n / size < 10 ? 1 : 0).replace(/\.0$/, "")}${unit}`;
  }
  return String(Math.round(n));
}

export const bytes = (n: number): string => (n > 1e9 ? `${(n / 1e9).toFixed(1)} GB` : n > 1e6 ? `${(n / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(n / 1e3))} kB`);

/** A volume in its venue's unit: "$1.2k", "1.2k contracts". */
export const amountOf = (volume: number, platform: string): string =>
  platform === "polymarket" ? `$${short(volume)}` : `${short(volume)} ${volume === 1 ? "contract" : "contracts"}`;

export const volumeOf = (volume: number | null | undefined, platform: string): string =>
  volume === null || volume === undefined ? "volume unknown" : `${amountOf(volume, platform)}${platform === "polymarket" ? " traded" : ""}`;

const dated = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric" });
const timed = new Intl.DateTimeFormat("en-US", {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

export const date = (then: string | Date): string => dated.format(new Date(then));
export const dateTime = (then: string | Date): string => timed.format(new Date(then));
/** The same moment in UTC, for the hover. */
export const utc = (then: string | Date): string =>
  new Date(then).toISOString().replace("T", " ").replace(/(:\d\d)\.\d+Z$/, "$1").replace(/Z$/, "") + " UTC";

export const venue = (platform: string): string =>
  ({ polymarket: "Polymarket", kalshi: "Kalshi" })[platform] ?? platform;

/** The outcome a row speaks of, and its price: Yes where there is one, else the first. */
export function leading(prices: Prices | undefined, outcomes?: string[]): { outcome: string; price: number | null } | null {
  if (!prices) return null;
  const names = outcomes?.length ? outcomes : Object.keys(prices);
  const yes = names.find((name) => name.toLowerCase() === "yes") ?? names[0];
  return yes === undefined ? null : { outcome: yes, price: prices[yes] ?? null };
}

/** A link that may be followed: http and https only. */
export function safeUrl(url: string | null | undefined): string | null {
  if (!url) return null;
  try {
    const parsed = new URL(url);
    return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
  } catch {
    return null;
  }
}

/** What all questions of an event share is said once; each keeps what tells it apart. */
export function distinct(questions: string[]): string[] {
  const afterDash = questions.map((question) => question.split(" — "));
  if (questions.length && afterDash.every((parts) => parts.length === 2)) return afterDash.map((parts) => parts[1]!);
  if (questions.length < 2) return questions;
  const words = questions.map((question) => question.split(" "));
  const shortest = Math.min(...words.map((each) => each.length));
  let start = 0;
  while (start < shortest && words.every((each) => each[start] === words[0]![start])) start++;
  let end = 0;
  while (end < shortest - start && words.every((each) => each.at(-1 - end) === words[0]!.at(-1 - end))) end++;
  const cut = words.map((each) => each.slice(start, each.length - end).join(" "));
  return cut.every((text) => text.trim()) ? cut : questions;
}
