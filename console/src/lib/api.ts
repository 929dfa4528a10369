// Requests to this service: the session's CSRF token on writes, errors that people can read, and
// patience with limits that lift by themselves.
import { session } from "./session.ts";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number;

  constructor(status: number, code: string, detail: string, retryAfter = 0) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export interface Options {
  method?: string;
  body?: unknown;
  signal?: AbortSignal;
  /** How often a 429 is waited out; each wait is what the service asks for, at most 5 s. */
  patience?: number;
  headers?: Record<string, string>;
}

const wait = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** The answer itself, once it is a good one. */
export async function request(path: string, options: Options = {}): Promise<Response> {
  const { method = options.body === undefined ? "GET" : "POST", body, signal, patience = 2 } = options;
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  const raw = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] ??= raw ? "application/octet-stream" : "application/json";
  const csrf = session.get()?.csrf;
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  const sent = body === undefined || raw || typeof body === "string" ? (body as Blob | string | undefined) : JSON.stringify(body);
  for (let tries = 0; ; tries++) {
    let answer: Response;
    try {
      answer = await fetch(path, { method, headers, body: sent, signal, credentials: "same-origin" });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, "unreachable", "The service does not answer. Check that it is running.");
    }
    if (answer.ok) return answer;
    const failure = await failed(answer);
    if (answer.status === 429 && tries < patience && failure.retryAfter <= 5) {
      await wait(failure.retryAfter * 1000, signal);
      continue;
    }
    if (answer.status === 401 && session.get()?.signed_in) void session.load();
    throw failure;
  }
}

async function failed(answer: Response): Promise<ApiError> {
  let detail = answer.statusText || `The service answered ${answer.status}.`;
  try {
    const told = (await answer.json()).detail;
    detail = Array.isArray(told)
      ? told.map((issue) => `${issue.loc?.slice(1).join(".") || issue.loc?.[0]}: ${issue.msg}`).join("; ")
      : String(told);
  } catch {
    // Not ours: a proxy in between. Its status says enough.
  }
  const code = answer.headers.get("x-error-code") ?? "";
  return new ApiError(answer.status, code, detail, Number(answer.headers.get("retry-after") ?? 1));
}

export async function api<T>(path: string, options: Options = {}): Promise<T> {
  const answer = await request(path, options);
  return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
}

export interface StreamEvent {
  event_type: string;
  data: any;
}

/** Server-sent events of a POST, one after the other. */
export async function* stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const answer = await request(path, { body, signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data: "));
      if (data.length) yield JSON.parse(data.map((line) => line.slice(6)).join("\n")) as StreamEvent;
    }
  }
}

export const query = (values: Record<string, string | number | null | undefined>): string => {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") found.set(name, String(value));
  }
  const text = found.toString();
  return text ? `?${text}` : "";
};
