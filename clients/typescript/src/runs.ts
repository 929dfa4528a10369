// Runs: many questions, answered in the background.
import type { Forecasts } from "./api.js";
import { TimedOut, WorkFailed } from "./errors.js";
import type { ForecastRun, RunAnswer } from "./models.js";
import { sleep, type Options } from "./transport.js";

/** Told how many are done, and of how many. */
export type Progress = (done: number, of: number) => void;

const POLLS = [100, 200, 500, 1000];

/** A run that was taken up; its id may be kept and asked for later. */
export class Run implements AsyncIterable<RunAnswer> {
  constructor(
    private readonly forecasts: Forecasts,
    readonly id: string,
  ) {}

  /** How far it is, with the first answers. */
  state(options?: Options): Promise<ForecastRun> {
    return this.forecasts.run(this.id, {}, options);
  }

  /** Return once all are answered. `progress`: told how far it is, or true for a line on standard
   * error; `timeout` in milliseconds is for the whole run. */
  async wait({
    progress,
    timeout = Infinity,
    signal,
  }: { progress?: boolean | Progress; timeout?: number; signal?: AbortSignal } = {}): Promise<this> {
    const tell = typeof progress === "function" ? progress : progress ? line : undefined;
    const until = Date.now() + timeout;
    const options = signal ? { signal } : {};
    for (let turn = 0; ; turn += 1) {
      const run = await this.forecasts.run(this.id, { limit: 1 }, options);
      tell?.(run.answered, run.questions);
      if (run.status === "succeeded") return this;
      if (run.status === "failed" || run.status === "canceled") {
        throw new WorkFailed(`The run ${this.id} ${run.status}: ${run.error ?? "no reason given"}.`);
      }
      if (Date.now() > until) {
        throw new TimedOut(`The run ${this.id} is not done in ${timeout / 1000} s.`, "Wait longer.");
      }
      await sleep(POLLS[Math.min(turn, POLLS.length - 1)] ?? 1000, signal);
    }
  }

  /** The answers so far, in the order of the questions. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunAnswer> {
    let cursor: string | null | undefined;
    do {
      const page: ForecastRun = await this.forecasts.run(this.id, { limit: 200, ...(cursor ? { cursor } : {}) });
      yield* page.results ?? [];
      cursor = page.next_cursor;
    } while (cursor);
  }
}

/** Progress for people, where there is a terminal. */
function line(done: number, of: number): void {
  const { stderr } = (globalThis as { process?: { stderr?: { write(text: string): void } } }).process ?? {};
  stderr?.write(`\r${done} of ${of} questions answered${done >= of ? "\n" : ""}`);
}
