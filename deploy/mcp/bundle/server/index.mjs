// Passes a desktop client's messages to /mcp of an Augury service and its answers back: JSON-RPC, a
// message a line on standard input and output. Needs nothing but Node.js.
import { createInterface } from "node:readline";

const given = (name) => {
  const value = process.env[name] ?? "";
  return value.startsWith("${") ? "" : value.trim(); // a setting that the client left as it was
};
const service = given("AUGURY_URL").replace(/\/+$/, "") || "http://127.0.0.1:8000";
const key = given("AUGURY_API_KEY");
const NAMED = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };
const VERSION = "io.modelcontextprotocol/protocolVersion";
const open = new Map(); // what is being answered, by id
let agreed; // the protocol's version, where a handshake named one

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function fail(id, message) {
  if (id !== undefined) tell({ jsonrpc: "2.0", id, error: { code: -32000, message } });
}

/** What the protocol wants in headers, so that a proxy can route a call without reading it. */
function headers({ method, params }) {
  const found = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  if (key) found.Authorization = `Bearer ${key}`;
  const version = params?._meta?.[VERSION] ?? (method === "initialize" ? undefined : agreed);
  if (version) found["MCP-Protocol-Version"] = version;
  if (method) found["Mcp-Method"] = method;
  const name = params?.[NAMED[method]];
  if (typeof name === "string") {
    const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?");
    found["Mcp-Name"] = plain ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
  }
  return found;
}

/** The messages of an answer: one of JSON, or events as they come. */
async function* messages(answer) {
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await answer.text();
    if (text) yield JSON.parse(text);
    return;
  }
  const decoder = new TextDecoder();
  let rest = "";
  let data = [];
  for await (const part of answer.body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line.startsWith("data:")) data.push(line.slice(5));
      else if (line === "" && data.length) {
        const text = data.join("\n").trim();
        data = [];
        if (text) yield JSON.parse(text);
      }
    }
  }
}

/** What a refusal that is no JSON-RPC says: the service's own words, or a proxy's. */
function refusal(status, text) {
  let said = "";
  try {
    const { detail } = JSON.parse(text);
    if (typeof detail === "string") said = detail;
  } catch {
    // not the service's own
  }
  const told = said || `${service} answered ${status}; is it an Augury service?`;
  return status === 401 || status === 403 ? `${told} Set the API key of this extension.` : told;
}

async function pass(message) {
  const { id, method, params } = message;
  if (method === "notifications/cancelled") {
    open.get(params?.requestId)?.abort();
    open.delete(params?.requestId);
    return;
  }
  const stop = new AbortController();
  if (id !== undefined) open.set(id, stop);
  let answered = id === undefined;
  try {
    const answer = await fetch(`${service}/mcp`, {
      method: "POST",
      headers: headers(message),
      body: JSON.stringify(message),
      redirect: "error", // the key goes to this address alone
      signal: stop.signal,
    });
    if (!answer.ok) {
      const text = await answer.text();
      if (text.includes('"jsonrpc"')) tell(JSON.parse(text));
      else fail(id, refusal(answer.status, text));
      return;
    }
    for await (const one of messages(answer)) {
      if (method === "initialize") agreed = one.result?.protocolVersion ?? agreed;
      answered ||= one.id === id;
      if (id !== undefined) tell(one);
    }
    if (!answered) fail(id, "The service's answer broke off. Try once more.");
  } catch (error) {
    if (stop.signal.aborted || answered) return;
    if (error instanceof SyntaxError) {
      fail(id, `${service} answered what is no JSON; is it an Augury service?`);
      return;
    }
    const why = error.cause?.code ?? error.message;
    fail(id, `No service answers at ${service} (${why}). Start it with 'augury serve', or set its address.`);
  } finally {
    open.delete(id);
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parsed(line);
  if (message?.jsonrpc) void pass(message);
  else if (line.trim()) {
    tell({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "This line is no message." } });
  }
}
for (const stop of open.values()) stop.abort();
