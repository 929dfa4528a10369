// What other pages may show in a frame: a market or a forecast, small and without controls.
import type { MarketDetail } from "../api/types.ts";
import { api } from "../lib/api.ts";
import { forecastOf } from "../lib/forecast.ts";
import * as format from "../lib/format.ts";
import { useLoad } from "../lib/use.ts";
import { Doubt, Grade } from "../ui/doubt.tsx";
import { Ago, Failure, Loading, Marks, Venue, isStale, marketPath } from "../ui/parts.tsx";
import { PriceChart } from "./market.tsx";

export function EmbedMarket({ id: raw }: { id: string }) {
  const id = decodeURIComponent(raw);
  const found = useLoad<MarketDetail>((signal) => api(`/v1${marketPath(id).replace("/market/", "/markets/")}`, { signal }), [id]);
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading what="the market" />;
  const { market } = found.data;
  const lead = format.leading(market.current_prices, market.outcomes);
  return (
    <div class="stack" style={{ padding: "1rem" }}>
      <div class="rowline between">
        <h1><a href={marketPath(market.id)} target="_blank" rel="noopener">{market.question}</a></h1>
        <span class="rowline"><Venue platform={market.platform} /><Marks row={market as never} /></span>
      </div>
      <p class="big"><span class="big-n">{format.percent(lead?.price)}</span><span class="soft">{lead?.outcome} · <Ago at={market.price_as_of} /></span></p>
      <PriceChart id={market.id} end={market.status === "active" && !isStale(market as never) ? null : market.price_as_of} />
    </div>
  );
}

export function EmbedForecast({ id }: { id: string }) {
  const found = useLoad<unknown>((signal) => api(`/v1/forecasts/${encodeURIComponent(id)}`, { signal }), [id]);
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading what="the forecast" />;
  const made = forecastOf(found.data);
  return (
    <div class="stack" style={{ padding: "1rem" }}>
      <h1>{made.question}</h1>
      <p class="big"><span class="big-n">{format.percent(made.probability)}</span>{made.data_as_of && <span class="soft"><Ago at={made.data_as_of} prefix="prices of " /></span>}</p>
      {made.probability !== null && <Doubt probability={made.probability} interval={made.confidence_interval} />}
      <Grade grade={made.grade ?? "none"} />
    </div>
  );
}
