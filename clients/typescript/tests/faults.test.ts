// The client and servers that refuse, break off, dawdle, or are of another age.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiError,
  Augury,
  ConnectionFailed,
  InvalidInput,
  InvalidValue,
  NotFound,
  RateLimited,
  ServerFailed,
  StreamCut,
  TimedOut,
  Unauthenticated,
  Unavailable,
  UnexpectedAnswer,
  everyMarket,
  priceOf,
  table,
} from "../src/index.js";
import { answer, scripted } from "./scripted.js";

const EMPTY = { request_id: "r", query: "x", results: {}, total_markets: 0, latency_ms: 1 };
const FINE = answer(EMPTY);
const LIMITED = answer({ detail: "Too many." }, 429, { "Retry-After": "0", "X-Error-Code": "rate_limited" });
const AWAY = answer({ detail: "Starting." }, 503, { "Retry-After": "0", "X-Error-Code": "unavailable" });
const NOTHING = "";
const STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

function event(kind: string, data: unknown): string {
  return `id: 1\nevent: ${kind}\ndata: ${JSON.stringify({ event_type: kind, data })}\n\n`;
}

async function caught<E extends Error>(kind: new (...given: never[]) => E, call: Promise<unknown>): Promise<E> {
  const error = await call.then(
    () => assert.fail("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof kind, `${String(error)} is no ${kind.name}`);
  return error;
}

async function collected<T>(items: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const one of items) into.push(one);
  return into;
}

test("a refusal for now is waited out", async () => {
  await using server = await scripted(LIMITED, AWAY, FINE);
  const found = await new Augury({ url: server.url }).search("x");
  assert.deepEqual(everyMarket(found), []);
  assert.equal(server.asked.length, 3);
});

test("Retry-After is obeyed, and patience ends", async () => {
  const soon = answer({ detail: "Too many." }, 429, { "Retry-After": "1" });
  await using patient = await scripted(soon, FINE);
  const started = Date.now();
  await new Augury({ url: patient.url }).search("x");
  assert.ok(Date.now() - started >= 1000);

  const long = answer({ detail: "Too many." }, 429, { "Retry-After": "3600", "X-Error-Code": "rate_limited" });
  await using server = await scripted(long);
  const error = await caught(RateLimited, new Augury({ url: server.url }).search("x"));
  assert.equal(error.retryAfter, 3_600_000);
  assert.equal(error.code, "rate_limited");
  assert.match(error.message, /patience/);
  assert.equal(server.asked.length, 1);
});

test("503 to the end says so", async () => {
  await using server = await scripted(AWAY, AWAY);
  const error = await caught(Unavailable, new Augury({ url: server.url, retries: 1 }).search("x"));
  assert.equal(error.detail, "Starting.");
  assert.match(error.advice, /health/);
});

test("a connection that breaks off is tried again where that is safe", async () => {
  await using server = await scripted(NOTHING, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", FINE);
  await new Augury({ url: server.url }).search("x");
  assert.equal(server.asked.length, 3);

  await using once = await scripted(NOTHING, FINE);
  const error = await caught(ConnectionFailed, new Augury({ url: once.url }).watchlists.evaluate("wl_1"));
  assert.equal(error.sent, true); // it may have happened, and no key keeps it from happening twice
  assert.equal(once.asked.length, 1);
});

test("what creates is sent again under the same key", async () => {
  await using server = await scripted(NOTHING, answer({ id: "wl_1", name: "n" }, 201));
  assert.equal((await new Augury({ url: server.url }).watchlists.create("n")).id, "wl_1");
  const keys = server.asked.map((request) => request.match(/^idempotency-key: (.+)\r$/im)?.[1]);
  assert.equal(keys.length, 2);
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
});

test("a trickle and silence end with the timeout", async () => {
  let dripping: ReturnType<typeof setInterval> | undefined;
  await using trickle = await scripted((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    dripping = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(dripping));
  });
  const slow = await caught(TimedOut, new Augury({ url: trickle.url, timeout: 300 }).search("x"));
  assert.match(slow.message, /longer/);

  await using silent = await scripted(() => undefined);
  await caught(TimedOut, new Augury({ url: silent.url }).search("x", {}, { timeout: 200 }));
});

test("a call ends with its signal, and so does a wait between tries", async () => {
  await using silent = await scripted(() => undefined);
  const stop = new AbortController();
  const asked = new Augury({ url: silent.url }).search("x", {}, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await assert.rejects(asked, /enough/);

  await using busy = await scripted(answer({ detail: "Later." }, 429, { "Retry-After": "30" }));
  const waiting = new Augury({ url: busy.url }).search("x", {}, { signal: AbortSignal.timeout(200) });
  await assert.rejects(waiting, { name: "TimeoutError" });
});

test("events arrive however the bytes are cut", async () => {
  const text = event("started", { question: "a\u2028b é" }) + event("ping", {}) + event("final", { probability: 0.4 });
  const raw = Buffer.from(text);
  await using server = await scripted(LIMITED, (socket) => {
    socket.setNoDelay(true);
    socket.write(STREAM);
    let sent = 0;
    const next = () => {
      if (sent === raw.length) socket.end();
      else socket.write(raw.subarray(sent, (sent += 1)), () => setImmediate(next));
    };
    next();
  });
  const events = await collected(new Augury({ url: server.url }).stream("q"));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["started", "final"],
  );
  assert.deepEqual(events[0]?.data, { question: "a\u2028b é" });
  assert.equal(events[1]?.answer?.probability, 0.4);
});

test("a cut stream is no answer", async () => {
  await using server = await scripted(STREAM + event("started", {}));
  const seen: { type: string }[] = [];
  const error = await caught(StreamCut, collected(new Augury({ url: server.url }).stream("q"), seen));
  assert.match(error.message, /Ask again/);
  assert.equal(seen.length, 1);

  await using broken = await scripted((socket) => {
    socket.write(STREAM + event("started", {}));
    setTimeout(() => socket.resetAndDestroy(), 50);
  });
  await caught(StreamCut, collected(new Augury({ url: broken.url }).stream("q")));

  await using failed = await scripted(STREAM + event("error", { detail: "Too long.", code: "deadline" }));
  const late = await caught(ServerFailed, collected(new Augury({ url: failed.url }).stream("q")));
  assert.equal(late.code, "deadline");

  await using quiet = await scripted((socket) => void socket.write(STREAM + event("started", {})));
  await caught(TimedOut, collected(new Augury({ url: quiet.url, timeout: 200 }).stream("q")));
});

test("a stream that nobody reads on is let go", async () => {
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (gone = resolve));
  await using server = await scripted((socket) => {
    socket.on("close", () => gone());
    socket.write(STREAM + event("started", {}));
  });
  for await (const { type } of new Augury({ url: server.url }).stream("q")) {
    assert.equal(type, "started");
    break;
  }
  await closed;
});

test("a newer service may say more", async () => {
  const row = { id: "a:1", platform: "newvenue", status: "halted", current_prices: { Yes: 0.5 }, novel: { a: [1] } };
  await using server = await scripted(answer({ ...EMPTY, results: { direct: [row], sideways: [] }, novel: 1 }));
  const [found, ...others] = everyMarket(await new Augury({ url: server.url }).search("x"));
  assert.equal(others.length, 0);
  assert.ok(found);
  assert.equal(found.status, "halted");
  assert.equal(priceOf(found), 0.5);
});

for (const [name, strange] of Object.entries({
  "a page": answer("<html>Welcome</html>"),
  "a number": answer(1),
  "a redirection": answer("", 302, { Location: "http://127.0.0.1:1/" }),
  "half an object": answer('{"results": {'),
})) {
  test(`${name} is no answer of the service`, async () => {
    await using server = await scripted(strange);
    await caught(UnexpectedAnswer, new Augury({ url: server.url, apiKey: "k" }).search("x"));
    assert.equal(server.asked.length, 1);
  });
}

test("an error page of a proxy is an error too", async () => {
  const page = answer("<html>Bad gateway</html>", 502);
  await using server = await scripted(page, page, page);
  const error = await caught(ServerFailed, new Augury({ url: server.url, retries: 2 }).search("x"));
  assert.equal(error.status, 502);
  assert.equal(server.asked.length, 3);
});

test("issues are told by place, with the request's name", async () => {
  const issue = { loc: ["body", "query"], msg: "Field required", type: "missing" };
  const headers = { "X-Error-Code": "invalid_input", "X-Request-Id": "r7" };
  await using server = await scripted(answer({ detail: [issue] }, 422, headers));
  const error = await caught(InvalidInput, new Augury({ url: server.url }).search("x"));
  assert.deepEqual(error.issues, [issue]);
  assert.match(error.message, /body\.query: Field required/);
  assert.match(error.message, /r7/);
  assert.match(error.advice, /Change/);
});

test("each refusal is an error of its own", async () => {
  await using server = await scripted(answer({ detail: "No market." }, 404));
  const error = await caught(NotFound, new Augury({ url: server.url }).markets.get("kalshi:X/../.."));
  assert.ok(error instanceof ApiError);
  assert.equal(error.name, "NotFound");
  assert.match(server.asked[0] ?? "", /^GET \/v1\/markets\/kalshi%3AX%2F\.\.%2F\.\. /);
});

test("the key goes to the service and into no text", async () => {
  const apiKey = "aug_very-secret";
  await using server = await scripted(answer({ detail: "This API key is not valid." }, 401));
  const augury = new Augury({ url: server.url, apiKey });
  const error = await caught(Unauthenticated, augury.search("x"));
  assert.match(server.asked[0] ?? "", /authorization: Bearer aug_very-secret/i);
  const { inspect } = await import("node:util");
  const texts = [error.message, error.stack, inspect(error), inspect(augury, { depth: 9 }), JSON.stringify(augury)];
  assert.ok(!texts.join().includes(apiKey));
  assert.match(error.message, /AUGURY_API_KEY/);
});

test("the next page is asked of the same service", async () => {
  const row = { model_id: "m", model_version: "1", aliases: [] };
  const link = '<http://evil.example/v1/x?cursor=abc&limit=1>; rel="next"';
  await using server = await scripted(answer([row], 200, { Link: link }), answer([row]));
  const rows = await collected(new Augury({ url: server.url }).rvol.models());
  assert.equal(rows.length, 2);
  assert.match(server.asked[1] ?? "", /^GET \/v1\/rvol\/models\?cursor=abc /);
});

test("pages are asked for as they are needed", async () => {
  const page = (n: number) => answer({ items: [{ id: `a:${n}` }, { id: `b:${n}` }], next_cursor: `c${n}` });
  await using server = await scripted(page(1), page(2), page(3));
  const list = new Augury({ url: server.url }).markets.list();
  assert.deepEqual(
    (await list.all(3)).map(({ id }) => id),
    ["a:1", "b:1", "a:2"],
  );
  assert.equal(server.asked.length, 2);
});

test("no service there says what to do", async () => {
  const server = await scripted();
  await server[Symbol.asyncDispose]();
  const error = await caught(ConnectionFailed, new Augury({ url: server.url, retries: 0 }).health());
  assert.equal(error.sent, false);
  assert.match(error.message, /augury serve/);
  for (const url of ["localhost:8000", "ftp://x", "http://u:secret@host", "http://u:secret@x:port", "http://[::1"]) {
    assert.throws(
      () => new Augury({ url }),
      (error) => error instanceof InvalidValue && /address/.test(error.message) && !/secret/.test(error.message),
    );
  }
});

test("a key with a line end is taken, and one that is none stays out of the error", async () => {
  await using server = await scripted(answer({ id: "fc_1", status: "succeeded" }));
  await new Augury({ url: server.url, apiKey: "aug_key\n" }).forecast("q");
  assert.match(server.asked[0] ?? "", /authorization: Bearer aug_key\r\n/i);
  for (const apiKey of ["aug_secr\u00e9t", "aug_secr t", "aug_secr\nX-Other: t"]) {
    assert.throws(
      () => new Augury({ url: server.url, apiKey }),
      (error) => error instanceof InvalidValue && /AUGURY_API_KEY/.test(error.message) && !/secr/.test(error.message),
    );
  }
});

test("what is no id, or can't be sent, asks for nothing else", async () => {
  await using server = await scripted();
  const augury = new Augury({ url: server.url });
  for (const id of ["", ".", ".."]) await assert.rejects(augury.markets.get(id), InvalidValue);
  await assert.rejects(augury.search(1n as never), InvalidValue);
  assert.equal(server.asked.length, 0);
});

test("a moment is sent in UTC, and what is none is refused before anything is sent", async () => {
  await using server = await scripted(answer({ id: "fc_1", status: "succeeded" }));
  const augury = new Augury({ url: server.url });
  await augury.forecast("q", { as_of: new Date("2026-03-01T01:00:00+01:00") });
  assert.match(server.asked[0] ?? "", /"as_of":"2026-03-01T00:00:00\.000Z"/);
  await assert.rejects(augury.forecast("q", { as_of: new Date("never") }), InvalidValue);
  await assert.rejects(augury.forecastMany([{ question: "q", as_of: new Date("never") }]), InvalidValue);
  assert.equal(server.asked.length, 1);
});

test("a run tells how far it is, and fails with its reason", async () => {
  const run = { id: "run_1", status: "running", questions: 2, answered: 1, results: [], next_cursor: null };
  const started = answer({ run_id: "run_1" }, 202);
  await using server = await scripted(
    started,
    answer(run),
    answer({ ...run, status: "succeeded", answered: 2 }),
    answer({ ...run, results: [{ question: "a" }], next_cursor: "n" }),
    answer({ ...run, results: [{ question: "b" }] }),
  );
  const told: [number, number][] = [];
  const many = await new Augury({ url: server.url }).forecastMany(["a", { question: "b", as_of: "2026-03-01" }]);
  await many.wait({ progress: (done, of) => told.push([done, of]) });
  assert.deepEqual(told, [
    [1, 2],
    [2, 2],
  ]);
  const questions = (await collected(many)).map(({ question }) => question);
  assert.deepEqual(questions, ["a", "b"]);
  assert.match(server.asked[0] ?? "", /"as_of":"2026-03-01"/);

  await using failing = await scripted(answer({ ...run, status: "failed", error: "no disk" }));
  await assert.rejects(new Augury({ url: failing.url }).run("run_1").wait(), /no disk/);
});

test("a history becomes rows", () => {
  const points = [{ timestamp: "2026-03-01T00:00:00Z", probability: 0.5 }, { timestamp: "2026-03-02T00:00:00Z" }];
  const rows = table({ series: [{ outcome: "Yes", points }] } as never);
  assert.deepEqual(rows, [
    { timestamp: new Date("2026-03-01T00:00:00Z"), outcome: "Yes", probability: 0.5 },
    { timestamp: new Date("2026-03-02T00:00:00Z"), outcome: "Yes", probability: null },
  ]);
});
