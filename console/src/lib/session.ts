// Who is signed in. The cookie itself is out of reach of scripts.
import type { SessionState } from "../api/types.ts";
import { Store } from "./store.ts";

class SessionStore extends Store<SessionState | null> {
  async load(): Promise<SessionState | null> {
    try {
      const answer = await fetch("/v1/session", { credentials: "same-origin" });
      if (answer.ok) this.set(await answer.json());
    } catch {
      // The service is away: pages say so when they ask it for more.
    }
    return this.get();
  }
}

export const session = new SessionStore(null);

export const may = (scope: string): boolean => {
  const scopes = session.get()?.scopes ?? [];
  const explicit = ["forecast:read", "rvol:read", "internal", "admin"];
  return scopes.includes(scope) || (scopes.includes("*") && !explicit.includes(scope));
};
