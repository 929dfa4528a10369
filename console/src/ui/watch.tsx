// "Watch this": a market onto a list, with a first rule if wanted.
import { useState } from "preact/hooks";
import type { MarketRecord, Page, Watchlist } from "../api/types.ts";
import { ApiError, api } from "../lib/api.ts";
import { useLoad } from "../lib/use.ts";
import { Dialog, Failure, Loading } from "./parts.tsx";

export function WatchDialog({ market, signedIn, close }: { market: MarketRecord; signedIn: boolean; close: () => void }) {
  const lists = useLoad<Page<Watchlist>>(signedIn ? (signal) => api("/v1/watchlists?limit=200", { signal }) : null, [signedIn]);
  const [chosen, choose] = useState("");
  const [name, setName] = useState("My markets");
  const [above, setAbove] = useState("");
  const [failure, fail] = useState<ApiError | null>(null);
  const [done, finish] = useState<string | null>(null);
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      const first = chosen || lists.data?.items[0]?.id;
      const list = first && chosen !== "new" ? first : (await api<Watchlist>("/v1/watchlists", { body: { name } })).id;
      const target = await api<{ id: string }>(`/v1/watchlists/${list}/targets`, { body: { kind: "market", ref: market.id } });
      if (above) {
        await api(`/v1/watchlists/${list}/rules`, {
          body: { name: `Above ${above}%`, target_id: target.id, metric: "probability", op: "crosses_above", value: Number(above) / 100, severity: "warning" },
        });
      }
      finish(list);
    } catch (error) {
      fail(error as ApiError);
    }
  };
  const body = !signedIn ? <Failure error={new ApiError(401, "", "Watchlists belong to an account: sign in first.")} />
    : lists.error ? <Failure error={lists.error} />
    : !lists.data ? <Loading what="watchlists" lines={2} />
    : done ? <p>It is watched. <a href={`/watch/${done}`}>Open the watchlist</a></p>
    : (
      <form class="stack" onSubmit={(event) => void add(event)}>
        {lists.data.items.length > 0 && (
          <label class="field">Watchlist
            <select class="input" value={chosen || lists.data.items[0]!.id} onChange={(event) => choose(event.currentTarget.value)}>
              {lists.data.items.map((list) => <option key={list.id} value={list.id}>{list.name}</option>)}
              <option value="new">A new one …</option>
            </select>
          </label>
        )}
        {(chosen === "new" || !lists.data.items.length) && (
          <label class="field">Name of the new watchlist
            <input class="input" required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        <label class="field">Alert when the price rises above, in percent (optional)
          <input class="input" type="number" min="0.1" max="99.9" step="0.1" value={above} onInput={(event) => setAbove(event.currentTarget.value)} />
        </label>
        {failure && <Failure error={failure} />}
        <div class="rowline"><button class="button first" type="submit">Watch</button></div>
      </form>
    );
  return <Dialog title="Watch this market" open close={close}>{body}</Dialog>;
}
