// The client against a running service on the sample: AUGURY_URL, and a key with every scope in AUGURY_API_KEY.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Augury, InvalidInput, NotFound, everyMarket, priceOf, table } from "../src/index.js";

const skip = process.env.AUGURY_URL ? false : "no service: AUGURY_URL is not set";
const QUESTION = "Will the Fed cut rates?";

test("against a running service", { skip }, async (t) => {
  const augury = new Augury({ timeout: 300_000 });
  const [first] = everyMarket(await augury.search(QUESTION, { dimensions: ["direct"], top_k: 3, status: "active" }));
  assert.ok(first);

  await t.test("a search finds what the service says", async () => {
    const raw = await fetch(`${augury.url}/v1/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${process.env.AUGURY_API_KEY}` },
      body: JSON.stringify({ query: QUESTION, top_k_per_dimension: 3, filters: { status: "active" } }),
    });
    const said = (await raw.json()) as { results: { direct: { id: string; current_prices: { Yes: number } }[] } };
    assert.equal(first.id, said.results.direct[0]?.id);
    assert.equal(priceOf(first), said.results.direct[0]?.current_prices.Yes);
    assert.equal(first.origin, "sample");
  });

  await t.test("a forecast, now and then", async () => {
    const made = await augury.forecast(first.question, { include_graph: true });
    assert.equal(made.status, "succeeded");
    const { lower, upper } = made.confidence_interval ?? assert.fail("no interval");
    const probability = made.probability ?? assert.fail("no probability");
    assert.ok(lower <= probability && probability <= upper);
    assert.ok(made.evidence?.length);
    assert.equal((await augury.forecasts.get(made.id)).probability, probability);
    const ago = new Date(Date.now() - 7 * 86_400_000);
    const then = await augury.forecast(first.question, { as_of: ago });
    assert.ok(Math.abs(Date.parse(then.as_of ?? "") - ago.getTime()) < 1000);
    await assert.rejects(augury.forecast(QUESTION, { as_of: new Date(Date.now() + 86_400_000) }), InvalidInput);
  });

  await t.test("a stream ends with the answer", async () => {
    const events = [];
    for await (const event of augury.stream(first.question, { include_graph: false })) events.push(event);
    assert.equal(events[0]?.type, "started");
    const asked = await augury.forecasts.public(first.question);
    assert.equal(events.at(-1)?.answer?.probability, asked.probability);
  });

  await t.test("a list goes through its pages", async () => {
    const list = augury.markets.list({ limit: 7, sort: "volume" });
    const some = await list.all(20);
    assert.equal(some.length, 20);
    assert.equal(new Set(some.map(({ id }) => id)).size, 20);
    assert.equal((await list.first()).items.length, 7);
    const file = new TextDecoder().decode(await list.file());
    assert.match(file.split("\n")[0] ?? "", /question/);
    await assert.rejects(augury.markets.get("kalshi:no-such-market"), NotFound);
  });

  await t.test("a history is a table", async () => {
    const history = await augury.history(first.id, { start: new Date(Date.now() - 5 * 86_400_000), interval_minutes: 60 });
    const rows = table(history);
    assert.ok(rows.length > 24);
    assert.ok(rows.every(({ probability }) => probability === null || (probability >= 0 && probability <= 1)));
  });

  await t.test("a run is waited for, with its progress", async () => {
    const run = await augury.forecastMany([first.question, "Will my cat learn Latin?"]);
    const told: number[] = [];
    await run.wait({ progress: (done) => told.push(done), timeout: 240_000 });
    assert.equal(told.at(-1), 2);
    const answers = [];
    for await (const answer of augury.run(run.id)) answers.push(answer);
    assert.deepEqual(
      answers.map(({ probability }) => probability === null || probability === undefined),
      [false, true],
    );
  });

  await t.test("a graph, volatility and a watchlist", async () => {
    assert.ok((await augury.graph(QUESTION)).graph?.nodes.length);
    const [latest] = await augury.rvol.latest({ asset: "BTC", horizon: "7d" }).all(1);
    assert.ok(latest);
    const made = await augury.watchlists.create("From TypeScript");
    const target = await augury.watchlists.addTarget(made.id, { kind: "market", ref: first.id });
    await augury.watchlists.addRule(made.id, {
      name: "up",
      target_id: target.id,
      metric: "probability",
      op: "gt",
      value: 0.99,
    });
    assert.equal((await augury.watchlists.rules(made.id).all()).length, 1);
    assert.equal(await augury.watchlists.delete(made.id), undefined);
    await assert.rejects(augury.watchlists.get(made.id), NotFound);
  });
});
