// System: is it well, how old are its data, and for the owner: keys, accounts, settings, jobs.
import { useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Health } from "../api/types.ts";
import { ApiError, api, query as params } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { may, session } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { useLoad, useRested, useTitle } from "../lib/use.ts";
import { CatalogueImport } from "../ui/catalogue.tsx";
import { Ago, Copy, Data, Dialog, Empty, Failure, Loading, When } from "../ui/parts.tsx";

interface Venue { markets: number; by_status: Record<string, number>; origins: string[]; data_as_of: string | null; age_seconds: number | null; synced_at?: string | null; failure?: string | null }
interface Key { id: string; account: string; prefix: string; scopes: string[]; label: string | null; state: string; created_at: string; expires_at: string | null; last_used_at: string | null }
interface Keys { items: Key[]; scopes: Record<string, string> }
interface Account { id: string; name: string; rvol_approved: boolean; created_at: string }
interface Overview {
  settings: { name: string; value: unknown; source: string; about: string }[];
  jobs: { name: string; state: string; count: number; oldest: string | null }[];
  storage: { name: string; bytes: number }[];
}

export function System() {
  useTitle("System");
  useStore(session);
  const health = useLoad<Health>((signal) => api("/v1/health", { signal }), []);
  return (
    <div class="page">
      <div class="head"><h1>System</h1></div>
      <div class="stack">
        {health.error ? <Failure error={health.error} retry={health.reload} /> : !health.data ? <section class="card hold-health"><Loading what="health" /></section> : <HealthCard health={health.data} />}
        {may("admin") ? <><CatalogueImport sample={health.data?.data === "sample"} /><KeysCard /><AccountsCard /><OverviewCards /></> : (
          <section class="card">
            <Empty title="Keys, accounts and settings are the owner's">Sign in by the link that <code>augury serve</code> prints, or with a key that has the scope <code>admin</code>.</Empty>
          </section>
        )}
      </div>
    </div>
  );
}

function HealthCard({ health }: { health: Health }) {
  const venues = Object.entries(health.catalogue ?? {}).filter((entry): entry is [string, Venue] => typeof entry[1] === "object" && entry[1] !== null && "markets" in (entry[1] as object));
  const index = health.index as { documents?: number; lag?: number } | undefined;
  return (
    <section class="card stack hold-health" aria-label="Health">
      <div class="rowline between">
        <h2>Health</h2>
        <span class={`chip ${health.status === "ok" ? "good" : health.status === "down" ? "bad" : "warning"}`}>{health.status}</span>
      </div>
      {(health.problems ?? []).length > 0 && <ul class="stack" style={{ gap: ".3rem" }}>{health.problems!.map((problem) => <li class="grade hinted" key={problem}>{problem}</li>)}</ul>}
      <dl class="facts">
        <div><dt>Version</dt><dd>{health.version}</dd></div>
        <div><dt>Running since</dt><dd><Ago at={new Date(Date.parse(health.time) - health.uptime_seconds * 1000).toISOString()} /></dd></div>
        <div><dt>Index</dt><dd>{index?.documents?.toLocaleString("en-US") ?? "–"} markets{index?.lag ? `, ${index.lag} behind` : ""}</dd></div>
        <div><dt>Data</dt><dd>{health.data}</dd></div>
      </dl>
      <div class="scroll" tabIndex={0} role="region" aria-label="Venues">
        <table class="data">
          <thead><tr><th scope="col">Venue</th><th scope="col" class="n">Markets</th><th scope="col" class="n">Active</th><th scope="col">Newest data</th><th scope="col">Last sync</th><th scope="col">Trouble</th></tr></thead>
          <tbody>
            {venues.map(([name, venue]) => (
              <tr key={name}>
                <th scope="row">{format.venue(name)}</th>
                <td class="n">{venue.markets.toLocaleString("en-US")}</td>
                <td class="n">{(venue.by_status["active"] ?? 0).toLocaleString("en-US")}</td>
                <td>{venue.data_as_of ? <Ago at={venue.data_as_of} /> : "none"}</td>
                <td>{venue.synced_at ? <Ago at={venue.synced_at} /> : "never"}</td>
                <td>{venue.failure ?? "none"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Data json="/v1/health" csv={{ name: "venues", rows: venues.map(([name, venue]) => ({ name, ...venue })) }} />
    </section>
  );
}

function KeysCard() {
  const found = useLoad<Keys>((signal) => api("/internal/v1/admin/keys", { signal }), []);
  const [making, make] = useState(false);
  const [made, setMade] = useState<{ key: string; account: string } | null>(null);
  const [failure, fail] = useState<ApiError | null>(null);
  const { path, query, route } = useLocation();
  const all = query["keys"] === "all";
  const act = async (work: () => Promise<{ key?: string; account: string }>) => {
    fail(null);
    try {
      const done = await work();
      if (done.key) setMade({ key: done.key, account: done.account });
      make(false);
      found.reload();
    } catch (error) {
      fail(error as ApiError);
    }
  };
  const rows = (found.data?.items ?? []).filter((key) => all || key.state === "active");
  const hidden = (found.data?.items.length ?? 0) - rows.length;
  return (
    <section class="card stack hold-keys" aria-label="Keys">
      <div class="rowline between"><h2>Keys</h2><button class="button first" type="button" onClick={() => make(true)}>Create a key</button></div>
      {failure && !making && <Failure error={failure} />}
      {found.error ? <Failure error={found.error} retry={found.reload} /> : !found.data ? <Loading what="keys" /> : !rows.length ? <Empty title="No key is in force">Create one for a program or a colleague.</Empty> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table of keys">
          <table class="data">
            <thead><tr><th scope="col">Account</th><th scope="col">Key</th><th scope="col">Scopes</th><th scope="col">Last used</th><th scope="col">State</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {rows.map((key) => (
                <tr key={key.id}>
                  <th scope="row">{key.account}{key.label && <div class="soft small">{key.label}</div>}</th>
                  <td><code>aug_{key.prefix}_…</code><div class="soft small">made <When at={key.created_at} day /></div></td>
                  <td>{key.scopes.join(", ")}</td>
                  <td>{key.last_used_at ? <Ago at={key.last_used_at} /> : "never"}</td>
                  <td><span class={`chip ${key.state === "active" ? "good" : ""}`}>{key.state}</span>{key.expires_at && key.state === "active" && <div class="soft small">until <When at={key.expires_at} day /></div>}</td>
                  <td>
                    {key.state === "active" && (
                      <div class="rowline">
                        <button class="button small" type="button" onClick={() => void act(() => api(`/internal/v1/admin/keys/${key.id}/rotate`, { body: { grace_hours: 24 } }))}>Rotate</button>
                        <button class="button small danger" type="button" onClick={() => { if (confirm(`Revoke the key of ${key.account}? Programs that use it stop working.`)) void act(() => api(`/internal/v1/admin/keys/${key.id}`, { method: "DELETE" })); }}>Revoke</button>
                      </div>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hidden > 0 && <button class="link-button small" type="button" onClick={() => route(`${path}${params({ ...query, keys: "all" })}`, true)}>Show {hidden} no longer in force</button>}
      {making && found.data && <NewKey scopes={found.data.scopes} failure={failure} close={() => make(false)} create={(body) => void act(() => api("/internal/v1/admin/keys", { body }))} />}
      <Dialog title={`A new key of ${made?.account}`} open={made !== null} close={() => setMade(null)}>
        <p>It is shown this once. Keep it where the program finds it.</p>
        <code class="secret">{made?.key}</code>
        <div><Copy text={made?.key ?? ""}>Copy</Copy></div>
      </Dialog>
    </section>
  );
}

function NewKey({ scopes, failure, close, create }: { scopes: Record<string, string>; failure: ApiError | null; close: () => void; create: (body: unknown) => void }) {
  const [account, setAccount] = useState("");
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("");
  const [chosen, choose] = useState<string[]>(["search:read", "forecast:read"]);
  return (
    <Dialog title="Create a key" open close={close}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); create({ account, scopes: chosen, label: label || null, expires_in_days: days ? Number(days) : null }); }}>
        <div class="form-grid">
          <label class="field">Account<input class="input" required maxLength={200} value={account} onInput={(event) => setAccount(event.currentTarget.value)} /></label>
          <label class="field">Note (optional)<input class="input" maxLength={200} value={label} onInput={(event) => setLabel(event.currentTarget.value)} /></label>
          <label class="field">Runs out after days (optional)<input class="input" type="number" min="1" value={days} onInput={(event) => setDays(event.currentTarget.value)} /></label>
        </div>
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <legend class="soft small">It may</legend>
          {Object.entries(scopes).filter(([scope]) => scope !== "*").map(([scope, about]) => (
            <label key={scope} class="check">
              <input type="checkbox" checked={chosen.includes(scope)} onChange={(event) => choose(event.currentTarget.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))} />
              <span><code>{scope}</code> <span class="soft small">{about}</span></span>
            </label>
          ))}
        </fieldset>
        {failure && <Failure error={failure} />}
        <div><button class="button first" type="submit" disabled={!chosen.length}>Create</button></div>
      </form>
    </Dialog>
  );
}

function AccountsCard() {
  const found = useLoad<{ items: Account[] }>((signal) => api("/internal/v1/admin/accounts", { signal }), []);
  const set = async (account: Account) => {
    await api("/internal/v1/admin/accounts", { method: "PATCH", body: { name: account.name, rvol_approved: !account.rvol_approved } });
    found.reload();
  };
  if (found.error) return <section class="card"><Failure error={found.error} retry={found.reload} /></section>;
  return (
    <section class="card hold-list" aria-label="Accounts">
      <h2>Accounts</h2>
      {!found.data ? <Loading what="accounts" lines={2} /> : (
        <ul>
          {found.data.items.map((account) => (
            <li class="item" key={account.id}>
              <div class="rowline between">
                <span>{account.name} <span class="soft small">since <When at={account.created_at} day /></span></span>
                <label class="rowline small"><input type="checkbox" checked={account.rvol_approved} onChange={() => void set(account)} /> may read realized volatility</label>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Words between backticks are code. */
const told = (text: string) => text.split("`").map((part, n) => (n % 2 ? <code key={n}>{part}</code> : part));

function OverviewCards() {
  const found = useLoad<Overview>((signal) => api("/internal/v1/admin/overview", { signal }), []);
  const { path, query, route } = useLocation();
  const [text, find] = useState(query["setting"] ?? "");
  const rested = useRested(text, 300);
  const asked = useRef(query["setting"] ?? "");
  const all = query["settings"] === "all";
  const go = (changes: Record<string, string>) => route(`${path}${params({ ...query, ...changes })}`, true);
  useEffect(() => { if (rested !== asked.current) go({ setting: (asked.current = rested) }); }, [rested]);
  // An address that was gone to shows what it says.
  useEffect(() => { if ((query["setting"] ?? "") !== asked.current) find((asked.current = query["setting"] ?? "")); }, [query["setting"]]);
  if (found.error) return found.error.status === 404 ? null : <section class="card"><Failure error={found.error} retry={found.reload} /></section>;
  if (!found.data) return <section class="card"><Loading what="settings" /></section>;
  const chosen = found.data.settings.filter((one) => one.source !== "default");
  const settings = text ? found.data.settings.filter((one) => `${one.name} ${one.about}`.toLowerCase().includes(text.toLowerCase())) : all ? found.data.settings : chosen;
  return (
    <>
      <section class="card" aria-label="Jobs">
        <h2>Jobs</h2>
        {!found.data.jobs.length ? <p class="soft">No job is waiting or running.</p> : (
<div class="scroll" tabIndex={0} role="region" aria-label="Table of jobs">
          <table class="data">
            <thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col" class="n">Number</th><th scope="col">Oldest</th></tr></thead>
            <tbody>{found.data.jobs.map((job) => <tr key={job.name + job.state}><th scope="row"><code>{job.name}</code></th><td>{job.state}</td><td class="n">{job.count}</td><td>{job.oldest ? <Ago at={job.oldest} /> : "–"}</td></tr>)}</tbody>
          </table>
          </div>
        )}
      </section>
      <section class="card" aria-label="Storage">
        <h2>Storage</h2>
        <dl class="facts">{found.data.storage.map((one) => <div key={one.name}><dt>{one.name}</dt><dd>{format.bytes(one.bytes)}</dd></div>)}</dl>
      </section>
      <section class="card stack" aria-label="Settings">
        <div class="rowline between">
          <h2>Settings in force</h2>
          <label><span class="visually-hidden">Find a setting</span><input class="input" type="search" placeholder="Find a setting" value={text} onInput={(event) => find(event.currentTarget.value)} /></label>
        </div>
        {settings.length > 0 ? <div class="scroll" tabIndex={0} role="region" aria-label="Table of settings">
          <table class="data stacked">
            <thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">From</th><th scope="col">What it does</th></tr></thead>
            <tbody>{settings.map((one) => <tr key={one.name}><th scope="row"><code>{one.name}</code></th><td data-label="Value"><code>{one.value === null ? "unset" : String(one.value)}</code></td><td data-label="From">{one.source}</td><td class="soft" data-label="About">{told(one.about)}</td></tr>)}</tbody>
          </table>
        </div> : <p class="soft">{text ? "No setting has that in its name or text." : "All are as they come."}</p>}
        {!text && <div><button class="link-button small" type="button" onClick={() => go({ settings: all ? "" : "all" })}>{all ? "Show only what was chosen here" : `Show all ${found.data.settings.length} settings`}</button></div>}
      </section>
    </>
  );
}
