// What can go wrong, each with what to do about it.
//
// AuguryError
// ├── ConnectionFailed      no service answers at the address
// ├── TimedOut              it answers too slowly
// ├── StreamCut             a stream of events ended before its last one
// ├── UnexpectedAnswer      an answer this client can't read
// ├── WorkFailed            work in the background failed or was canceled
// ├── InvalidValue          a value that can't be sent; nothing was
// └── ApiError              the service refused: status, code, detail, issues, requestId
//     ├── InvalidInput      400, 413, 415, 422, 431
//     ├── Unauthenticated   401
//     ├── Forbidden         403
//     ├── NotFound          404, 405
//     ├── Conflict          409
//     ├── RateLimited       429
//     ├── Unavailable       503
//     └── ServerFailed      500, 502, 504 and others

/** Base of all failures. `what` says what happened, `advice` what to do. */
export class AuguryError extends Error {
  constructor(
    readonly what: string,
    readonly advice: string,
  ) {
    super(`${what} ${advice}`.trim());
    this.name = new.target.name;
  }
}

/** No service answers at this address; `sent`: the request may have arrived. */
export class ConnectionFailed extends AuguryError {
  constructor(
    what: string,
    readonly sent = false,
  ) {
    super(what, "Is the service running (augury serve)? Give its address as new Augury({ url }) or in AUGURY_URL.");
  }
}

/** The answer took longer than `timeout`. */
export class TimedOut extends AuguryError {
  constructor(what: string, advice = "Ask for less, or give it longer: new Augury({ timeout }) in milliseconds.") {
    super(what, advice);
  }
}

/** The stream ended before its last event. */
export class StreamCut extends AuguryError {
  constructor(what: string) {
    super(what, "What came before it is not the answer. Ask again.");
  }
}

/** The answer is not what the service's documentation says. */
export class UnexpectedAnswer extends AuguryError {
  constructor(what: string) {
    super(
      what,
      "Does Augury answer at this address itself, not a proxy's page? Else the service is of another version: update augury-client.",
    );
  }
}

/** Work that went on in the background failed. */
export class WorkFailed extends AuguryError {
  constructor(what: string) {
    super(what, "Ask again; if it fails again the service's log says more.");
  }
}

/** A value that can't be sent, such as a `Date` that is none. Nothing was sent. */
export class InvalidValue extends AuguryError {
  constructor(what: string, advice = "Change the value and call again.") {
    super(what, advice);
  }
}

/** One thing wrong with an input: where, what, and of what sort. */
export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** What an answer with an error status says. */
export interface Refusal {
  status: number;
  /** The service's own word for the failure, as in `X-Error-Code`. */
  code: string;
  /** What the service said, as one text. */
  detail: string;
  /** Of bad input. */
  issues: Issue[];
  /** Milliseconds to wait before asking again; undefined where it did not say. */
  retryAfter: number | undefined;
  /** Names the request in the service's log. */
  requestId: string | undefined;
}

/** The service refused. */
export class ApiError extends AuguryError implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly issues: Issue[];
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(said: Refusal, advice: string) {
    const named = said.requestId ? `, request ${said.requestId}` : "";
    super(`${said.detail} (HTTP ${said.status} ${said.code}${named})`, advice);
    this.status = said.status;
    this.code = said.code;
    this.detail = said.detail;
    this.issues = said.issues;
    this.retryAfter = said.retryAfter;
    this.requestId = said.requestId;
  }
}

/** Something in the request is not as it should be; `issues` say what. */
export class InvalidInput extends ApiError {
  constructor(said: Refusal) {
    super(said, "Change what it names and ask again.");
  }
}

/** No valid key. */
export class Unauthenticated extends ApiError {
  constructor(said: Refusal) {
    super(
      said,
      "Give a key as new Augury({ apiKey }) or in AUGURY_API_KEY; the service's operator makes one with: augury keys create --account NAME --scope SCOPE",
    );
  }
}

/** The key does not allow this. */
export class Forbidden extends ApiError {
  constructor(said: Refusal) {
    super(said, "Ask the service's operator for a key with the scope or approval that it names.");
  }
}

/** There is no such thing, or it is somebody else's. */
export class NotFound extends ApiError {
  constructor(said: Refusal) {
    super(said, "Check the id; search() and the lists give ids that exist.");
  }
}

/** It contradicts what is there. */
export class Conflict extends ApiError {
  constructor(said: Refusal) {
    super(said, "Read what is there, then decide.");
  }
}

/** More requests than the limit allows, after the waits that the client may spend on it. */
export class RateLimited extends ApiError {
  constructor(said: Refusal) {
    super(said, "Wait `retryAfter` milliseconds, or allow longer waits: new Augury({ patience }) in milliseconds.");
  }
}

/** The service can't answer at the moment. */
export class Unavailable extends ApiError {
  constructor(said: Refusal) {
    super(said, "Ask again in `retryAfter` milliseconds; GET /v1/health says what it lacks.");
  }
}

/** The service, or something between, failed. */
export class ServerFailed extends ApiError {
  constructor(said: Refusal) {
    super(said, "Ask again; the service's log says more under the request's name.");
  }
}

const CLASSES: Record<number, new (said: Refusal) => ApiError> = {
  400: InvalidInput,
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  405: NotFound,
  409: Conflict,
  413: InvalidInput,
  415: InvalidInput,
  422: InvalidInput,
  429: RateLimited,
  431: InvalidInput,
  503: Unavailable,
};

/** The error that an answer stands for. */
export function refusal(status: number, headers: Headers, body: string): ApiError {
  const { detail, issues } = explained(body);
  const kind = CLASSES[status] ?? (status >= 500 ? ServerFailed : InvalidInput);
  return new kind({
    status,
    code: headers.get("x-error-code") ?? "unknown",
    detail: detail || "The service gave no reason.",
    issues,
    retryAfter: waiting(headers.get("retry-after")),
    requestId: headers.get("x-request-id") ?? undefined,
  });
}

function explained(body: string): { detail: string; issues: Issue[] } {
  let detail: unknown;
  try {
    detail = (JSON.parse(body) as { detail?: unknown } | null)?.detail;
  } catch {
    return { detail: "", issues: [] }; // not the service's own, a proxy's perhaps
  }
  if (typeof detail === "string") return { detail, issues: [] };
  if (!Array.isArray(detail)) return { detail: "", issues: [] };
  const issues = detail.filter((one): one is Issue => typeof one === "object" && one !== null);
  const told = issues.map(({ loc, msg }) => `${(loc ?? []).join(".")}: ${msg ?? ""}`).join("; ");
  return { detail: `${told}.`, issues };
}

/** `Retry-After`, seconds or a date, in milliseconds. */
function waiting(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
