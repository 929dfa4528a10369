// Outcomes side by side: contenders, ladders of thresholds, deadlines, distributions.
import * as format from "../lib/format.ts";

export interface BarItem {
  label: string;
  value: number | null;
  href?: string;
  here?: boolean;
  note?: string;
}

/** Horizontal bars with their numbers; the longest one fills the width unless `most` is given. */
export function Bars({ items, most = 1 }: { items: BarItem[]; most?: number }) {
  return (
    <ul class="bars">
      {items.map((item, n) => {
        const inside = (
          <>
            <span class="bar-label">{item.label}{item.note && <span class="soft small"> · {item.note}</span>}</span>
            <span class="bar-n">{format.percent(item.value)}</span>
            <svg class="bar-track" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
              <rect width={Math.max(0.6, (100 * (item.value ?? 0)) / most)} height="6" />
            </svg>
          </>
        );
        const kind = `bar ${item.here ? "here" : ""}`;
        return (
          <li key={n}>
            {item.href ? <a class={kind} href={item.href} aria-current={item.here ? "true" : undefined}>{inside}</a> : <div class={kind}>{inside}</div>}
          </li>
        );
      })}
    </ul>
  );
}
