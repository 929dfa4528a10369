// Forecasts as they are made: server-sent events, one by one.
import { ServerFailed, StreamCut, UnexpectedAnswer } from "./errors.js";
import type { PublicForecastResponse } from "./models.js";

/** One stage: started, normalized, search, evidence, estimate, graph, and final at the end. */
export interface Event {
  type: string;
  /** What the service says of it. */
  data: unknown;
  /** The whole forecast, in the final event only. */
  answer?: PublicForecastResponse;
}

/** Bytes in, events out; how they were cut on the way makes no difference. */
export class Reader {
  private readonly decoder = new TextDecoder();
  private rest = "";
  private data: string[] = [];
  private ended = false;

  /** The events that are whole now. Throws what the service says went wrong. */
  *feed(part: Uint8Array): Generator<Event> {
    const lines = (this.rest + this.decoder.decode(part, { stream: true })).split("\n");
    this.rest = lines.pop() ?? "";
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line.startsWith("data:")) {
        this.data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      } else if (line === "" && this.data.length > 0) {
        const event = read(this.data.join("\n"));
        this.data = [];
        if (event) {
          this.ended = event.type === "final";
          yield event;
        }
      }
    }
  }

  /** The connection has ended. Throws StreamCut where the stream had not. */
  end(): void {
    if (!this.ended) throw new StreamCut("The stream of the forecast ended before its last event.");
  }
}

interface Payload {
  event_type?: unknown;
  data?: { code?: unknown; detail?: unknown };
}

function read(payload: string): Event | undefined {
  let told: Payload | null | undefined;
  try {
    told = JSON.parse(payload) as Payload | null;
  } catch {
    // said below
  }
  if (typeof told?.event_type !== "string" || told.data === undefined) {
    throw new UnexpectedAnswer("An event of the stream can't be read.");
  }
  const { event_type: type, data } = told;
  if (type === "ping") return undefined;
  if (type === "error") {
    const said = { code: String(data?.code ?? "unknown"), detail: String(data?.detail ?? "") };
    throw new ServerFailed({ status: 500, ...said, issues: [], retryAfter: undefined, requestId: undefined });
  }
  return type === "final" ? { type, data, answer: data as unknown as PublicForecastResponse } : { type, data };
}
