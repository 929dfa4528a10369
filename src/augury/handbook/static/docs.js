// Draws the API reference from the service's OpenAPI document. It uses no library, and sends requests
// to this service only.
"use strict";

const KEY = "augury.key";
const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];
let doc = null;

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, f] of Object.entries(value)) node.addEventListener(event, f);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const resolve = (s) => (s && s.$ref ? doc.components.schemas[s.$ref.split("/").pop()] || {} : s || {});
const nameOf = (s) => (s && s.$ref ? s.$ref.split("/").pop() : null);
const variants = (s) => s.anyOf || s.oneOf || null;

// A text as paragraphs, in which `code` becomes a code element.
function prose(text) {
  return (text || "").trim().split(/\n\s*\n/).filter(Boolean).map((part) => el("p", {},
    part.split(/(`[^`]+`)/).map((bit) => bit.startsWith("`") ? el("code", {}, bit.slice(1, -1)) : bit)));
}

function typeText(schema) {
  const name = nameOf(schema), s = resolve(schema), options = variants(s);
  if (options) return options.map(typeText).join(" or ");
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(" | ");
  if (s.type === "array") return `array of ${typeText(s.items)}`;
  if (s.type === "object" && s.additionalProperties && typeof s.additionalProperties === "object") {
    return `object of ${typeText(s.additionalProperties)}`;
  }
  return name || (s.format ? `${s.type} (${s.format})` : s.type || "any");
}

function rules(schema) {
  const parts = resolve(schema), all = [parts, ...(variants(parts) || []).map(resolve)], out = [];
  for (const s of all) {
    const size = (low, high, what) => {
      if (low !== undefined && high !== undefined) out.push(`${low} to ${high}${what}`);
      else if (low !== undefined) out.push(`at least ${low}${what}`);
      else if (high !== undefined) out.push(`at most ${high}${what}`);
    };
    size(s.minimum, s.maximum, "");
    size(s.minLength, s.maxLength, " characters");
    size(s.minItems, s.maxItems, " items");
    if (s.pattern) out.push(`matches ${s.pattern}`);
  }
  if (parts.default !== undefined && parts.default !== null) out.push(`default ${JSON.stringify(parts.default)}`);
  return out.join(", ");
}

// The object with properties that a schema contains, also inside arrays, maps and alternatives; null
// if there is none.
function inner(schema) {
  const s = resolve(schema || {});
  if (s.properties) return s;
  for (const option of variants(s) || []) { const found = inner(option); if (found) return found; }
  if (s.type === "array") return inner(s.items);
  if (s.additionalProperties && typeof s.additionalProperties === "object") return inner(s.additionalProperties);
  return null;
}

function fieldRow(name, schema, required, description, seen) {
  const s = resolve(schema), below = inner(schema), rule = rules(schema);
  const nested = below && !seen.includes(below)
    ? el("details", { class: "nest" }, el("summary", {}, "fields"), el("div", {}, fieldTable(below, [...seen, below])))
    : null;
  return el("tr", {},
    el("td", {}, el("code", {}, name), required ? el("span", { class: "need" }, "required") : null),
    el("td", {}, el("span", { class: "type" }, typeText(schema)), rule ? el("div", { class: "rule" }, rule) : null),
    el("td", {}, description || (below ? "" : s.description) || "", nested));
}

function table(rows, names = ["Name", "Type", "Meaning"]) {
  const head = names.map((t) => el("th", { scope: "col" }, t));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

function fieldTable(schema, seen) {
  const required = schema.required || [];
  const rows = Object.entries(schema.properties || {}).map(([name, field]) =>
    fieldRow(name, field, required.includes(name), field.description, seen || [schema]));
  return table(rows);
}

// The members of an example in the order in which the schema lists them.
function ordered(value, schema) {
  if (Array.isArray(value)) return value.map((item) => ordered(item, resolve(schema).items || schema));
  const shape = inner(schema);
  if (value === null || typeof value !== "object" || !shape) return value;
  const names = [...Object.keys(shape.properties), ...Object.keys(value)].filter((name) => name in value);
  return Object.fromEntries(names.map((name) => [name, ordered(value[name], shape.properties[name])]));
}

function exampleOf(schema, depth) {
  const s = resolve(schema);
  if (s.examples && s.examples.length) return ordered(s.examples[0], schema);
  if (s.example !== undefined) return s.example;
  if (s.default !== undefined) return s.default;
  if (s.const !== undefined) return s.const;
  if (s.enum) return s.enum[0];
  const options = variants(s);
  if (options) return exampleOf(options[0], depth);
  if (s.type === "array") return depth > 4 ? [] : [exampleOf(s.items, depth + 1)];
  if (s.properties && depth < 5) {
    return Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, exampleOf(v, depth + 1)]));
  }
  return { string: "text", integer: 1, number: 0.5, boolean: true, object: {} }[s.type] ?? null;
}

// JSON as elements whose classes say what each part is. Text from outside never becomes markup.
function jsonBlock(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const pre = el("pre", { tabindex: "0" });
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;
  let at = 0;
  for (const match of text.matchAll(token)) {
    pre.append(text.slice(at, match.index));
    const kind = match[2] ? "j-key" : match[1] ? "j-text" : "j-number";
    pre.append(el("span", { class: kind }, match[1] || match[0]), match[2] || "");
    at = match.index + match[0].length;
  }
  pre.append(text.slice(at));
  return pre;
}

function media(content) {
  if (!content) return null;
  return content["application/json"] || Object.values(content)[0] || null;
}

function answers(operation) {
  const rows = Object.entries(operation.responses || {}).map(([status, response]) => {
    const schema = media(response.content)?.schema;
    const headers = Object.keys(response.headers || {}).join(", ");
    return el("tr", {},
      el("td", {}, el("span", { class: status < "300" ? "ok" : "bad" }, status)),
      el("td", {}, el("span", { class: "type" }, schema ? typeText(schema) : "")),
      el("td", {}, response.description || "", headers ? el("div", { class: "rule" }, `Headers: ${headers}`) : null));
  });
  return table(rows, ["Status", "Body", "Meaning"]);
}

function tryIt(method, path, operation) {
  const parameters = (operation.parameters || []).filter((p) => p.in === "path" || p.in === "query");
  const bodySchema = media(operation.requestBody?.content)?.schema;
  const id = operation.operationId || `${method}${path}`;
  const inputs = parameters.map((p) => {
    const s = resolve(p.schema), options = s.enum || (variants(s) || []).map(resolve).find((o) => o.enum)?.enum;
    const attributes = { id: `${id}-${p.name}`, name: p.name, required: p.in === "path" };
    const shown = s.default !== undefined && s.default !== null ? String(s.default) : "";
    const input = options
      ? el("select", attributes, el("option", { value: "" }, ""), options.map((v) => el("option", {}, v)))
      : el("input", { ...attributes, placeholder: shown, spellcheck: "false" });
    return { p, input, node: el("div", { class: "field" }, el("label", { for: attributes.id }, p.name), input) };
  });
  const body = bodySchema
    ? el("textarea", { id: `${id}-body`, spellcheck: "false", rows: 8 })
    : null;
  if (body) body.value = JSON.stringify(exampleOf(bodySchema, 0), null, 2);
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const request = () => {
    let address = path;
    const query = new URLSearchParams();
    for (const { p, input } of inputs) {
      if (p.in === "path") address = address.replace(`{${p.name}}`, encodeURIComponent(input.value));
      else if (input.value !== "") query.append(p.name, input.value);
    }
    const headers = {};
    const key = document.getElementById("key").value.trim();
    if (key && operation.security) headers.Authorization = `Bearer ${key}`;
    if (body) headers["Content-Type"] = "application/json";
    const base = new URL("..", document.baseURI).href.replace(/\/$/, "");
    return { url: base + address + (query.size ? `?${query}` : ""), headers, body: body?.value };
  };
  const send = async (event) => {
    event.preventDefault();
    const button = event.target.querySelector("button");
    const { url, headers, body: text } = request();
    button.disabled = true;
    const started = performance.now();
    try {
      const response = await fetch(url, { method: method.toUpperCase(), headers, body: text });
      const got = await response.text();
      const ms = Math.round(performance.now() - started);
      let shown = got;
      try { shown = JSON.parse(got); } catch { /* not JSON: shown as it came */ }
      const notes = ["x-request-id", "ratelimit", "retry-after", "x-error-code"]
        .filter((name) => response.headers.get(name)).map((name) => `${name}: ${response.headers.get(name)}`);
      answer.replaceChildren(
        el("p", { class: "line" }, el("span", { class: response.ok ? "ok" : "bad" }, String(response.status)),
          ` in ${ms} ms`, notes.length ? ` · ${notes.join(" · ")}` : ""),
        jsonBlock(shown));
    } catch (error) {
      answer.replaceChildren(el("p", { class: "line bad" }, `No answer: ${error.message}`));
    } finally {
      button.disabled = false;
    }
  };
  const copy = async (event) => {
    const { url, headers, body: text } = request();
    const quote = (value) => `'${value.replaceAll("'", "'\\''")}'`;
    const parts = ["curl", method === "get" ? null : `-X ${method.toUpperCase()}`, quote(url),
      ...Object.entries(headers).map(([k, v]) => `-H ${quote(`${k}: ${v}`)}`), text ? `-d ${quote(text)}` : null];
    await navigator.clipboard?.writeText(parts.filter(Boolean).join(" "));
    event.target.textContent = "Copied";
    setTimeout(() => { event.target.textContent = "Copy as curl"; }, 1500);
  };
  return el("form", { on: { submit: send } },
    inputs.length ? el("div", { class: "fields" }, inputs.map((i) => i.node)) : null,
    body ? [el("label", { class: "hidden", for: `${id}-body` }, "Request body"), body] : null,
    el("div", { class: "row" }, el("button", {}, "Send"),
      el("button", { class: "plain", type: "button", on: { click: copy } }, "Copy as curl")),
    answer);
}

function lock(operation) {
  if (!operation.security) return "open";
  return operation.security.some((s) => Object.keys(s).length === 0) ? "key optional" : "needs a key";
}

function operationBody(method, path, operation) {
  const bodySchema = media(operation.requestBody?.content)?.schema;
  const success = Object.entries(operation.responses || {}).find(([status]) => status.startsWith("2"));
  const answerSchema = success && media(success[1].content)?.schema;
  const parameters = operation.parameters || [];
  const asked = bodySchema && inner(bodySchema), given = answerSchema && inner(answerSchema);
  const shape = (title, schema, named) => named
    ? [el("h3", {}, title), el("div", { class: "two" }, el("div", {}, fieldTable(named)), el("div", {}, jsonBlock(exampleOf(schema, 0))))]
    : null;
  return el("div", { class: "body" },
    el("div", { class: "about" }, prose(operation.description)),
    parameters.length
      ? [el("h3", {}, "Parameters"), table(parameters.map((p) =>
          fieldRow(p.name, p.schema, p.required, [p.description, p.in === "query" ? "" : `(${p.in})`].join(" "), [])))]
      : null,
    shape("Request body", bodySchema, asked),
    shape(answerSchema && resolve(answerSchema).type === "array" ? "Answer: a list of" : "Answer", answerSchema, given),
    el("h3", {}, "Statuses"), answers(operation),
    el("h3", {}, "Try it"), tryIt(method, path, operation));
}

function anchor(method, path) {
  return `${method}${path}`.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "").toLowerCase();
}

function render() {
  document.title = `${doc.info.title} API`;
  document.getElementById("title").textContent = doc.info.title;
  document.getElementById("version").textContent = doc.info.version;
  document.getElementById("summary").textContent = doc.info.summary || "";
  const groups = new Map();
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const method of METHODS.filter((m) => item[m])) {
      const tag = (item[method].tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ method, path, operation: item[method] });
    }
  }
  const index = [], sections = [];
  for (const [tag, operations] of groups) {
    index.push(el("h2", {}, tag), el("ul", {}, operations.map(({ method, path, operation }) =>
      el("li", { "data-find": `${method} ${path} ${operation.summary || ""}`.toLowerCase() },
        el("a", { href: `#${anchor(method, path)}` },
          el("span", { class: `method ${method}` }, method.toUpperCase()), el("span", {}, operation.summary || path))))));
    sections.push(el("section", { class: "group" }, el("h2", {}, tag), operations.map(({ method, path, operation }) => {
      const details = el("details", {},
        el("summary", {}, el("span", { class: `method ${method}` }, method.toUpperCase()), el("code", {}, path),
          el("span", { class: "what" }, operation.summary || ""), el("span", { class: "lock" }, lock(operation))));
      // Built when first opened: a page of closed operations costs next to nothing.
      details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) details.append(operationBody(method, path, operation));
      });
      return el("article", { id: anchor(method, path) }, details);
    })));
  }
  document.getElementById("index").replaceChildren(...index);
  document.getElementById("groups").replaceChildren(...sections);
}

function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.querySelector("details");
  if (details) { details.open = true; target.scrollIntoView(); }
}

function find(event) {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll("#index li")) {
    item.hidden = !words.every((word) => item.dataset.find.includes(word));
  }
}

document.addEventListener("DOMContentLoaded", async () => {
  const key = document.getElementById("key");
  // For this tab only: a key does not outlive the page's session.
  key.value = sessionStorage.getItem(KEY) || "";
  key.addEventListener("input", () => sessionStorage.setItem(KEY, key.value));
  document.getElementById("find").addEventListener("input", find);
  window.addEventListener("hashchange", openTarget);
  try {
    doc = await (await fetch("../openapi.json")).json();
    render();
    openTarget();
  } catch (error) {
    document.getElementById("groups").replaceChildren(el("p", {}, `The OpenAPI document could not be read: ${error.message}`));
  }
});
