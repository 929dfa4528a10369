// How calls are sent: again where that is safe and worth it, page by page, and as a stream.
import {
  ApiError,
  AuguryError,
  Conflict,
  ConnectionFailed,
  InvalidValue,
  RateLimited,
  ServerFailed,
  StreamCut,
  TimedOut,
  Unavailable,
  UnexpectedAnswer,
  refusal,
} from "./errors.js";

/** A moment: a `Date`, or ISO 8601 with its zone. */
export type When = string | Date;

/** What a single call may have of its own. */
export interface Options {
  /** Ends the call when it is aborted; the call then throws the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds that one answer may take. */
  timeout?: number;
}

/** Where to ask and how long to bear it; times in milliseconds. */
export interface Settings {
  url: string;
  apiKey: string | undefined;
  timeout: number;
  retries: number;
  patience: number;
  fetch: typeof fetch;
}

/** A request and its values. `repeat`: it changes nothing, so that it may be sent again; `keyed`:
 * sent again under the same Idempotency-Key it happens once. */
export interface Call {
  method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
  address: string;
  path?: string[];
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  repeat?: boolean;
  keyed?: boolean;
}

interface Reply {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

const FIRST_WAIT = 250;
/** Where the request did not leave: nothing can have happened. */
const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT/;

/** Settings as given, else from AUGURY_URL and AUGURY_API_KEY where there is an environment. */
export function settings(given: Partial<Settings>): Settings {
  const { env = {} } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {};
  const url = (given.url || env.AUGURY_URL || "http://127.0.0.1:8000").trim().replace(/\/+$/, "");
  let parts: URL | undefined;
  try {
    parts = new URL(url);
  } catch {
    // said below
  }
  if (!parts?.hostname || !/^https?:$/.test(parts.protocol)) {
    // Without what might be a password in it.
    const shown = JSON.stringify(url.includes("@") ? `...@${url.split("@").pop()}` : url);
    throw new InvalidValue(`${shown} is no address of a service.`, "Write http://HOST:PORT.");
  }
  if (parts.username || parts.password) {
    throw new InvalidValue("An address holds no user name and no password.", "Give the key as { apiKey }.");
  }
  const apiKey = (given.apiKey || env.AUGURY_API_KEY || "").trim();
  if (!/^[!-~]*$/.test(apiKey)) {
    // Without the key itself: an error's text is read by many.
    throw new InvalidValue(
      "The API key holds characters that no key has.",
      "Give it as the service's operator wrote it: { apiKey } or AUGURY_API_KEY.",
    );
  }
  return {
    url,
    apiKey: apiKey || undefined,
    timeout: given.timeout ?? 60_000,
    retries: given.retries ?? 4,
    patience: given.patience ?? 60_000,
    fetch: given.fetch ?? globalThis.fetch.bind(globalThis),
  };
}

/** A moment as the service reads it. Throws InvalidValue for a `Date` that is none. */
export function moment(when: When | null | undefined): string | null | undefined {
  if (!(when instanceof Date)) return when;
  if (Number.isNaN(when.getTime())) {
    throw new InvalidValue("A Date holds no moment (Invalid Date).", "Make it of ISO 8601: new Date(\"2026-03-01T12:00:00Z\").");
  }
  return when.toISOString();
}

/** Resolves after so many milliseconds, or throws the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function target(call: Call): string {
  const parts = [...(call.path ?? [])];
  const path = call.address.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String(parts.shift() ?? "");
    // Of an empty one the address would be another.
    if (/^\.*$/.test(id)) throw new InvalidValue(`${name} is ${JSON.stringify(id)}, which is no id.`);
    return encodeURIComponent(id);
  });
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) asked.append(name, String(moment(one as When)));
    }
  }
  return asked.size ? `${path}?${asked}` : path;
}

function content(call: Call): string | undefined {
  const withMoments = function (this: Record<string, unknown>, name: string, value: unknown) {
    const raw = this[name];
    return raw instanceof Date ? moment(raw) : value; // throws where it is no date
  };
  try {
    return call.body && JSON.stringify(call.body, withMoments);
  } catch (error) {
    if (error instanceof AuguryError) throw error;
    throw new InvalidValue(`${call.method} ${call.address} can't send this: ${reason(error)}.`);
  }
}

function uuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  // A page that did not come by https has no randomUUID.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How often a call was sent, and how long it waited. */
class Attempts {
  readonly headers: Record<string, string> = {};
  private count = 0;
  private waited = 0;

  constructor(
    private readonly call: Call,
    private readonly settings: Settings,
  ) {
    if (settings.apiKey) this.headers.Authorization = `Bearer ${settings.apiKey}`;
    if (call.body) this.headers["Content-Type"] = "application/json";
    if (call.keyed) this.headers["Idempotency-Key"] = uuid();
  }

  /** Return when it is time to send again. Throws the error where it should not be. */
  async wait(error: unknown, signal?: AbortSignal): Promise<void> {
    if (this.count >= this.settings.retries || !this.worth(error)) throw error;
    const told = error instanceof ApiError ? error.retryAfter : undefined;
    let ms = told ?? FIRST_WAIT * 2 ** this.count;
    // Clients that were refused together should not come back together.
    ms += Math.random() * (100 + ms / 4);
    if (this.waited + ms > this.settings.patience) throw error;
    this.count += 1;
    this.waited += ms;
    await sleep(ms, signal);
  }

  private worth(error: unknown): boolean {
    const again = Boolean(this.call.repeat || this.call.keyed);
    if (error instanceof RateLimited) return true; // refused before anything was done
    if (error instanceof ConnectionFailed) return again || !error.sent;
    if (error instanceof Unavailable) return again;
    if (error instanceof ServerFailed) return again && (error.status === 502 || error.status === 504);
    if (error instanceof Conflict) return again && error.retryAfter !== undefined;
    return false;
  }
}

/** Sends calls to one service. */
export class Connection {
  // Out of sight of console.log and JSON.stringify: the key is in it.
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get url(): string {
    return this.#settings.url;
  }

  /** The answer, after as many tries as are worth it. */
  async exchange(call: Call, options: Options = {}): Promise<Reply> {
    const attempts = new Attempts(call, this.#settings);
    const url = this.url + target(call);
    const body = content(call);
    for (;;) {
      try {
        return await this.once(call.method, url, body, attempts.headers, options);
      } catch (error) {
        await attempts.wait(error, options.signal);
      }
    }
  }

  private async once(
    method: string,
    url: string,
    body: string | undefined,
    headers: Record<string, string>,
    { signal, timeout = this.#settings.timeout }: Options,
  ): Promise<Reply> {
    const limit = AbortSignal.timeout(timeout);
    try {
      const answer = await this.#settings.fetch(url, {
        method,
        headers,
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        ...(body === undefined ? {} : { body }),
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      this.check(answer, bytes);
      return { status: answer.status, headers: answer.headers, body: bytes };
    } catch (error) {
      throw this.failure(error, signal, limit, timeout);
    }
  }

  /** The answer's bytes as they come; `timeout` is the longest silence. */
  async *stream(call: Call, options: Options = {}): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const attempts = new Attempts(call, this.#settings);
    const { signal, timeout = this.#settings.timeout } = options;
    const silence = new AbortController();
    const quiet = () => silence.abort();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(quiet, timeout);
    };
    const body = content(call);
    let answer: Response;
    for (;;) {
      try {
        heard();
        answer = await this.#settings.fetch(this.url + target(call), {
          method: call.method,
          headers: attempts.headers,
          redirect: "manual",
          signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
          ...(body === undefined ? {} : { body }),
        });
        if (!answer.ok) this.check(answer, new Uint8Array(await answer.arrayBuffer()));
        break;
      } catch (error) {
        clearTimeout(timer);
        await attempts.wait(this.failure(error, signal, silence.signal, timeout), signal);
      }
    }
    const reader = answer.body?.getReader();
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done || value === undefined) return;
        heard();
        yield value as Uint8Array<ArrayBuffer>;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (silence.signal.aborted) throw new TimedOut(`Nothing came for ${timeout / 1000} s.`);
      throw error instanceof AuguryError ? error : new StreamCut(`The stream broke off (${reason(error)}).`);
    } finally {
      clearTimeout(timer);
      await reader?.cancel().catch(() => undefined);
    }
  }

  private check(answer: Response, body: Uint8Array<ArrayBuffer>): void {
    if (answer.status >= 400) throw refusal(answer.status, answer.headers, new TextDecoder().decode(body));
    if (answer.status >= 300 || answer.type === "opaqueredirect") {
      throw new UnexpectedAnswer(
        `${this.url} sends elsewhere (HTTP ${answer.status}). Give the final address.`,
      );
    }
  }

  /** What a failed exchange means. */
  private failure(error: unknown, signal: AbortSignal | undefined, limit: AbortSignal, timeout: number): unknown {
    if (error instanceof AuguryError) return error;
    if (signal?.aborted) return signal.reason;
    if (limit.aborted) return new TimedOut(`No whole answer came in ${timeout / 1000} s.`);
    const why = reason(error);
    return UNSENT.test(why)
      ? new ConnectionFailed(`No service answers at ${this.url} (${why}).`)
      : new ConnectionFailed(`The connection to ${this.url} broke off (${why}).`, true);
  }
}

/** Why an exchange failed, with the code that Node.js hides in the cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string; errors?: { code?: string }[] } | undefined;
  return cause?.code ?? cause?.errors?.[0]?.code ?? cause?.message ?? error.message;
}

function parsed<T>(call: Call, reply: Reply): T {
  if (reply.status === 204) return undefined as T;
  let told: unknown;
  try {
    told = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(reply.body));
  } catch {
    // said below
  }
  if (typeof told !== "object" || told === null) {
    throw new UnexpectedAnswer(`${call.method} ${call.address} answered what is no JSON of the service.`);
  }
  return told as T;
}

/** A group of operations. */
export class Caller {
  constructor(protected readonly connection: Connection) {}

  protected async send<T>(call: Call, options?: Options): Promise<T> {
    return parsed<T>(call, await this.connection.exchange(call, options));
  }

  protected pages<P, T>(call: Call, options?: Options): Pages<P, T> {
    return new Pages(this.connection, call, options);
  }
}

/** A list of the service: `for await` goes through all of it, asked for page by page as it is
 * needed. `limit`, where the call took one, is the size of a page. */
export class Pages<P, T> implements AsyncIterable<T> {
  constructor(
    private readonly connection: Connection,
    private readonly call: Call,
    private readonly options?: Options,
  ) {}

  /** Page by page, as the service sends them. */
  async *pages(): AsyncGenerator<P> {
    for (let call: Call | undefined = this.call; call !== undefined; ) {
      const reply = await this.connection.exchange(call, this.options);
      const page = parsed<P>(call, reply);
      const cursor = following(page, reply.headers);
      yield page;
      call = cursor ? { ...call, query: { ...call.query, cursor } } : undefined;
    }
  }

  /** The first page, in one request. */
  async first(): Promise<P> {
    return parsed<P>(this.call, await this.connection.exchange(this.call, this.options));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.pages()) yield* rows<T>(page);
  }

  /** All items; at most this many. */
  async all(most = Infinity): Promise<T[]> {
    const found: T[] = [];
    for await (const page of this.pages()) {
      found.push(...rows<T>(page));
      if (found.length >= most) return found.slice(0, most);
    }
    return found;
  }

  /** The list as the service's own file, where it has one. */
  async file(form: "csv" | "parquet" = "csv"): Promise<Uint8Array<ArrayBuffer>> {
    const call = { ...this.call, query: { ...this.call.query, format: form } };
    return (await this.connection.exchange(call, this.options)).body;
  }
}

/** Where the next page begins: of a list that says so, else by the `Link` header. Only the cursor
 * is taken from the header, never its address: the key goes nowhere else. */
function following(page: unknown, headers: Headers): string | undefined {
  if (!Array.isArray(page)) return (page as { next_cursor?: string | null }).next_cursor ?? undefined;
  const link = (headers.get("link") ?? "").split(",").find((one) => one.includes('rel="next"'));
  const address = link?.match(/<([^>]*)>/)?.[1];
  return (address && new URLSearchParams(address.split("?")[1] ?? "").get("cursor")) || undefined;
}

function rows<T>(page: unknown): T[] {
  return Array.isArray(page) ? (page as T[]) : (page as { items: T[] }).items;
}
