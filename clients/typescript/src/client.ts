// The service in one object.
import * as api from "./api.js";
import { WorkFailed } from "./errors.js";
import { Reader, type Event } from "./events.js";
import type * as m from "./models.js";
import { Run } from "./runs.js";
import { Connection, moment, settings, sleep, type Options, type Settings, type When } from "./transport.js";

export type Dimension = "direct" | "upstream" | "downstream" | "correlated";
export type Status = "active" | "closed" | "resolved";
/** A question of a run: alone, or with the moment it is asked as of. */
export type Question = string | { question: string; as_of?: When | null };

const WORKING = new Set(["queued", "running"]);
const POLL = 500;

/**
 * A service. Times are in milliseconds.
 *
 * @example
 * const augury = new Augury();
 * console.log((await augury.forecast("Will the Fed cut rates in December?")).probability);
 */
export class Augury {
  readonly markets: api.Markets;
  readonly forecasts: api.Forecasts;
  readonly graphs: api.Graphs;
  readonly factors: api.Factors;
  readonly rvol: api.Rvol;
  readonly watchlists: api.Watchlists;
  readonly series: api.Series;
  readonly webPages: api.WebPages;
  readonly #api: api.Api;
  readonly #connection: Connection;

  /**
   * @param given.url its address; else AUGURY_URL, else http://127.0.0.1:8000
   * @param given.apiKey else AUGURY_API_KEY; without one the service is asked anonymously
   * @param given.timeout how long one answer may take (60,000)
   * @param given.retries how often a request is sent again that was refused for now or got no answer (4)
   * @param given.patience most time spent on waits between those, `Retry-After` included (60,000)
   * @param given.fetch takes the place of the platform's own
   */
  constructor(given: Partial<Settings> = {}) {
    const connection = new Connection(settings(given));
    this.#connection = connection;
    this.#api = new api.Api(connection);
    this.markets = new api.Markets(connection);
    this.forecasts = new api.Forecasts(connection);
    this.graphs = new api.Graphs(connection);
    this.factors = new api.Factors(connection);
    this.rvol = new api.Rvol(connection);
    this.watchlists = new api.Watchlists(connection);
    this.series = new api.Series(connection);
    this.webPages = new api.WebPages(connection);
  }

  /** The service's address. */
  get url(): string {
    return this.#connection.url;
  }

  /** How the service is: its data, its index, its jobs. */
  health(options?: Options): ReturnType<api.Api["health"]> {
    return this.#api.health(options);
  }

  /** Markets by their relation to a question, keywords, an id or a venue's address. `top_k`: most
   * markets a relation, 20 where it is not given. */
  search(
    query: string,
    asked: { dimensions?: readonly Dimension[]; top_k?: number; status?: Status } = {},
    options?: Options,
  ): Promise<m.SearchResponse> {
    const { dimensions, top_k, status } = asked;
    return this.#api.search(
      query,
      {
        ...(dimensions ? { dimensions } : {}),
        ...(top_k === undefined ? {} : { top_k_per_dimension: top_k }),
        ...(status ? { filters: { status } } : {}),
      },
      options,
    );
  }

  /** The probability of what is asked, its interval, its grade and what it rests on. `as_of`: with
   * what was known then. `probability` is null where nothing bears on it. */
  async forecast(
    question: string,
    asked: { as_of?: When | null; include_graph?: boolean } = {},
    options?: Options,
  ): Promise<m.FullForecast> {
    let made = await this.forecasts.make(question, asked, options);
    while (WORKING.has(made.status ?? "")) {
      await sleep(POLL, options?.signal);
      made = await this.forecasts.get(made.id, options);
    }
    return done(made);
  }

  /** A forecast as it is made, event by event; the last one holds the answer. Throws StreamCut
   * where the connection ended before it. */
  async *stream(
    question: string,
    { as_of, include_graph = true }: { as_of?: When | null; include_graph?: boolean } = {},
    options?: Options,
  ): AsyncGenerator<Event> {
    const reader = new Reader();
    const body = { question, include_graph, as_of: moment(as_of) };
    const call = { method: "POST", address: "/v1/forecast/stream", body, repeat: true } as const;
    for await (const part of this.#connection.stream(call, options)) yield* reader.feed(part);
    reader.end();
  }

  /** Forecast 1 to 1,000 questions in the background; `wait()` on what this returns. */
  async forecastMany(
    questions: readonly Question[],
    { as_of, include_graph = false }: { as_of?: When | null; include_graph?: boolean } = {},
    options?: Options,
  ): Promise<Run> {
    const asked = questions.map((one) => {
      const { question, as_of: own } = typeof one === "string" ? { question: one } : one;
      return { question, as_of: moment(own ?? as_of) ?? null };
    });
    const started = await this.forecasts.startRun(asked, { include_graph }, options);
    return new Run(this.forecasts, started.run_id);
  }

  /** A run that was started before, by its id. */
  run(id: string): Run {
    return new Run(this.forecasts, id);
  }

  /** What causes what is asked, and what it causes, with markets and prices. */
  async graph(question: string, options?: Options): Promise<m.FullGraph> {
    let drawn = await this.graphs.draw(question, {}, options);
    while (WORKING.has(drawn.status ?? "")) {
      await sleep(POLL, options?.signal);
      drawn = await this.graphs.get(drawn.id, options);
    }
    return done(drawn);
  }

  /** Prices of a market over time; `table()` makes rows of them. */
  history(
    market_id: string,
    asked: { start?: When; end?: When; interval_minutes?: 1 | 5 | 60 | 1440 } = {},
    options?: Options,
  ): Promise<m.MarketHistory> {
    return this.markets.history(market_id, asked, options);
  }
}

function done<T extends { status?: string | null; error?: string | null }>(made: T): T {
  if (made.status === "failed" || made.status === "canceled") {
    throw new WorkFailed(`The work ${made.status}: ${made.error ?? "no reason given"}.`);
  }
  return made;
}
