// A probability with the doubt around it: no number stands alone.
import * as format from "../lib/format.ts";
import { BoundIcon, CheckIcon, HintIcon, NoneIcon } from "./icons.tsx";

export function Doubt({ probability, interval }: {
  probability: number; interval: { lower: number; upper: number } | null;
}) {
  const x = (p: number) => 10 + p * 480;
  const words = interval
    ? `${format.percent(probability)}, 80% range in a week: ${format.percent(interval.lower)} to ${format.percent(interval.upper)}`
    : format.percent(probability);
  return (
    <svg class="doubt" viewBox="0 0 500 62" role="img" aria-label={words}>
      <rect class="track" x="10" y="22" width="480" height="12" rx="6" />
      {interval && <rect class="doubt-band" x={x(interval.lower)} y="18" width={Math.max(3, x(interval.upper) - x(interval.lower))} height="20" rx="5" />}
      <rect class="tick" x={x(probability) - 2} y="11" width="4" height="34" rx="2" />
      <text x="10" y="58">0%</text>
      <text x="250" y="58" text-anchor="middle">50%</text>
      <text x="490" y="58" text-anchor="end">100%</text>
      {interval && x(interval.upper) - x(interval.lower) > 70 && (
        <>
          <text class="ends" x={x(interval.lower)} y="12" text-anchor="middle">{format.percent(interval.lower)}</text>
          <text class="ends" x={x(interval.upper)} y="12" text-anchor="middle">{format.percent(interval.upper)}</text>
        </>
      )}
    </svg>
  );
}

const GRADES: Record<string, { title: string; text: string; icon: () => preact.JSX.Element }> = {
  asked: { title: "A market asks this", text: "The number is the price of a market that asks the same question.", icon: CheckIcon },
  bounded: { title: "Bounded by markets", text: "No market asks exactly this, but some set limits to it by logic.", icon: BoundIcon },
  hinted: { title: "Only hinted at", text: "No market asks this or limits it. Related markets hint at it; treat the number as rough.", icon: HintIcon },
  none: { title: "No number", text: "No market that can be relied on today bears on this question.", icon: NoneIcon },
};

/** How far the evidence carries, in words and color. */
export function Grade({ grade }: { grade: string }) {
  const known = GRADES[grade] ?? GRADES["none"]!;
  const Icon = known.icon;
  return (
    <div class={`grade ${grade}`}>
      <Icon />
      <p><b>{known.title}</b>{known.text}</p>
    </div>
  );
}
