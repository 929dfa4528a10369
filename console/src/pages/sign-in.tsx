// Sign in by the one-time link that the service prints, or by an API key.
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import type { SessionState } from "../api/types.ts";
import { ApiError, api } from "../lib/api.ts";
import { session } from "../lib/session.ts";
import { useTitle } from "../lib/use.ts";
import { Loading } from "../ui/parts.tsx";

/** Only addresses of this console: anything else would lead a reader elsewhere. */
const within = (next: string | undefined): string => (next?.startsWith("/") && !next.startsWith("//") && !next.includes("\\") ? next : "/");

export function SignIn() {
  const { query, route } = useLocation();
  const [link] = useState(() => location.hash.slice(1));
  const [key, setKey] = useState("");
  const [failure, fail] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(link !== "");
  useTitle("Sign in");
  const enter = async (body: { link: string } | { key: string }) => {
    setBusy(true);
    fail(null);
    try {
      session.set(await api<SessionState>("/v1/session", { body }));
      route(within(query["next"]), true);
    } catch (error) {
      fail(error as ApiError);
      setBusy(false);
    }
  };
  useEffect(() => {
    if (!link) return;
    // Out of the address at once: it is a secret, if only for once.
    history.replaceState(null, "", "/sign-in");
    void enter({ link });
  }, []);
  return (
    <div class="page narrow" style={{ maxWidth: "36rem" }}>
      <div class="head">
        <h1>Sign in</h1>
        <p class="lead">The owner of this machine signs in by the link that <code>augury serve</code> prints when it starts. Others use an API key; its scopes say what they may do here.</p>
      </div>
      {busy && link ? <Loading what="your session" lines={2} /> : (
        <form class="card stack" onSubmit={(event) => { event.preventDefault(); void enter({ key: key.trim() }); }}>
          <label class="field">API key
            <input class="input mono" type="password" autocomplete="off" spellcheck={false} required placeholder="aug_…" value={key} onInput={(event) => setKey(event.currentTarget.value)} />
          </label>
          <div class="rowline"><button class="button first" type="submit" disabled={busy}>Sign in</button></div>
          <p class="small soft">The key is exchanged for a session of this browser and not kept. Make one with <code>augury keys create --account me --scope search:read --scope forecast:read</code>.</p>
        </form>
      )}
      {failure && <div role="alert" class="state error"><p>{failure.message}</p></div>}
    </div>
  );
}
