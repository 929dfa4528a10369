// Volatility: forecasts by asset and horizon, the cone with its bands, forecast against realized, scores.
import { useLocation } from "preact-iso";
import { useMemo } from "preact/hooks";
import { api, query as params } from "../lib/api.ts";
import * as format from "../lib/format.ts";
import { useLoad, useTitle } from "../lib/use.ts";
import { Chart, type Line } from "../ui/chart.tsx";
import { Ago, Data, Empty, Failure, Loading, Segments, When } from "../ui/parts.tsx";

interface Band { lower: number; upper: number }
interface ForecastRow {
  asset: string; horizon: string; as_of: string; target_end_at: string; steps: number; issued?: string; origin?: string; model_id: string; model_version: string;
  prediction: { forecast_variance: number; forecast_volatility: number; annualized_volatility: number; bands: Record<string, Band> };
}
interface ActualRow { as_of: string; target_start_at: string; steps: number; actual: { realized_variance: number | null } }
interface AssetRow { asset: string; display_name: string; default_horizon: string; calendar: string; data_through: string | null; origin?: string; status?: string }
interface Score { model_id: string; horizon: string; n: number; from: string; to: string; qlike: number; ratio_to_har: number | null; coverage: Record<string, number>; mz_r2: number | null; bias: number | null }

const days = (horizon: string): number => Number(horizon.replace("d", ""));
/** Volatility per year from a variance over the horizon; the row itself says how long that is. */
const yearly = (variance: number, row: ForecastRow): number =>
  row.prediction.annualized_volatility * Math.sqrt(variance / row.prediction.forecast_variance);

export function Volatility() {
  const { query, route } = useLocation();
  useTitle("Volatility");
  const assets = useLoad<AssetRow[]>((signal) => api("/v1/rvol/assets", { signal }), []);
  const latest = useLoad<ForecastRow[]>((signal) => api("/v1/rvol/latest?limit=1000", { signal }), []);
  const asset = query["asset"] ?? assets.data?.find((one) => one.asset === "BTC")?.asset ?? assets.data?.[0]?.asset ?? "";
  const rows = useMemo(() => (latest.data ?? []).filter((row) => row.asset === asset), [latest.data, asset]);
  const horizons = [...new Set((latest.data ?? []).map((row) => row.horizon))].sort((a, b) => days(a) - days(b));
  const horizon = query["horizon"] ?? assets.data?.find((one) => one.asset === asset)?.default_horizon ?? horizons[0] ?? "7d";
  const go = (changes: Record<string, string>) => route(`/volatility${params({ asset, horizon, ...changes })}`, true);
  const error = assets.error ?? latest.error;
  const chosen = assets.data?.find((one) => one.asset === asset);
  return (
    <div class="page">
      <div class="head">
        <h1>Realized volatility</h1>
        <p class="lead">How much an asset is expected to move over a horizon, with bands, and how those forecasts turned out. Numbers are annualized.</p>
      </div>
      {error ? <Failure error={error} retry={() => { assets.reload(); latest.reload(); }} />
        : !assets.data || !latest.data ? <Loading what="volatility" lines={8} />
        : !latest.data.length ? <Empty title="No forecasts yet">They appear once bars of an asset are fetched or imported: <code>augury rvol import</code>.</Empty> : (
        <div class="stack">
          {chosen?.origin === "sample" && <p class="grade hinted">Sample data: these bars are simulated. No number here is of a real asset.</p>}
          <section class="card" aria-label="All assets">
            <div class="rowline between"><h2>Latest forecasts <span class="soft small plain">and the range that holds 80%</span></h2><Data json="/v1/rvol/latest?limit=1000" csv="/v1/rvol/latest?limit=1000&format=csv" /></div>
            <div class="scroll" tabIndex={0} role="region" aria-label="Forecasts by asset and horizon">
              <table class="data heat">
                <thead><tr><th scope="col">Asset</th>{horizons.map((one) => <th key={one} scope="col" class="n">{days(one)} {days(one) === 1 ? "day" : "days"}</th>)}<th scope="col" class="n">As of</th></tr></thead>
                <tbody>
                  {assets.data.filter((one) => latest.data!.some((row) => row.asset === one.asset)).map((one) => {
                    const own = latest.data!.filter((row) => row.asset === one.asset);
                    return (
                      <tr key={one.asset}>
                        <th scope="row">
                          <button class={`link-button ${one.asset === asset ? "strong" : ""}`} type="button" aria-pressed={one.asset === asset} onClick={() => go({ asset: one.asset, horizon: one.default_horizon })}>{one.display_name}</button>
                        </th>
                        {horizons.map((at) => {
                          const row = own.find((each) => each.horizon === at);
                          return (
                            <td key={at} class="n" title={row ? bandText(row) : "no forecast"}>
                              {row ? <>{format.whole(row.prediction.annualized_volatility)}<span class="range soft small">{rangeText(row)}</span></> : "–"}
                            </td>
                          );
                        })}
                        <td class="n soft"><Ago at={own[0]?.as_of} /></td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          </section>
          <div class="two">
            <section class="card stack hold-chart" aria-label="Forecast against realized">
              <div class="rowline between">
                <h2>{chosen?.display_name}: forecast against realized</h2>
                <Segments label="Horizon" options={horizons.map((id) => ({ id, title: id }))} chosen={horizon} choose={(id) => go({ horizon: id })} />
              </div>
              <Against asset={asset} horizon={horizon} now={rows.find((row) => row.horizon === horizon)} />
            </section>
            <section class="card" aria-label="Cone"><h2>Cone of {asset}</h2><Cone rows={rows} /></section>
          </div>
          <Scores asset={asset} horizon={horizon} />
        </div>
      )}
    </div>
  );
}

const rangeText = (row: ForecastRow): string => {
  const band = row.prediction.bands["80"];
  return band ? `${format.whole(yearly(band.lower, row)).replace("%", "")}–${format.whole(yearly(band.upper, row))}` : "";
};
const bandText = (row: ForecastRow): string => {
  const band = row.prediction.bands["80"];
  return band ? `80% between ${format.whole(yearly(band.lower, row))} and ${format.whole(yearly(band.upper, row))}` : "";
};

function Against({ asset, horizon, now }: { asset: string; horizon: string; now: ForecastRow | undefined }) {
  const history = `/v1/rvol/history${params({ asset, horizon, limit: 400 })}`;
  const made = useLoad<ForecastRow[]>((signal) => api(history, { signal }), [asset, horizon]);
  const real = useLoad<ActualRow[]>((signal) => api(`/v1/rvol/actuals${params({ asset, horizon, limit: 400 })}`, { signal }), [asset, horizon]);
  const lines = useMemo<Line[]>(() => {
    if (!made.data || !real.data) return [];
    const year = made.data[0] ? made.data[0].prediction.annualized_volatility ** 2 / made.data[0].prediction.forecast_variance : 365 / days(horizon);
    const sorted = <T extends { time: number }>(points: T[]) => points.sort((a, b) => a.time - b.time);
    return [
      { name: "Forecast", points: sorted(made.data.map((row) => ({ time: Date.parse(row.as_of) / 1000, value: row.prediction.annualized_volatility }))) },
      {
        name: "Realized in the window after",
        dash: true,
        points: sorted(real.data.map((row) => ({
          time: Date.parse(row.as_of) / 1000,
          value: row.actual.realized_variance === null ? null : Math.sqrt(row.actual.realized_variance * year),
        }))),
      },
    ];
  }, [made.data, real.data]);
  const error = made.error ?? real.error;
  if (error) return <Failure error={error} retry={() => { made.reload(); real.reload(); }} />;
  if (!lines.length) return <Loading what="history" lines={6} />;
  return (
    <>
      {now && <p><b>{format.whole(now.prediction.annualized_volatility)}</b> expected until <When at={now.target_end_at} day />; {bandText(now)}. <span class="soft">Model {now.model_id} {now.model_version}</span></p>}
      <Chart lines={lines} label={`Forecast and realized volatility of ${asset} over ${horizon}`} write={format.whole} />
      <Data json={history} csv={`${history}&format=csv`} />
    </>
  );
}

function Cone({ rows }: { rows: ForecastRow[] }) {
  const sorted = [...rows].sort((a, b) => days(a.horizon) - days(b.horizon));
  if (sorted.length < 2) return <Empty title="One horizon makes no cone" />;
  const top = Math.max(...sorted.map((row) => yearly(row.prediction.bands["95"]?.upper ?? row.prediction.forecast_variance, row))) * 1.05;
  const x = (row: ForecastRow) => 46 + (Math.log(days(row.horizon)) / Math.log(days(sorted.at(-1)!.horizon))) * 290;
  const y = (value: number) => 210 - (value / top) * 190;
  const area = (level: string) =>
    [...sorted.map((row) => `${x(row)},${y(yearly(row.prediction.bands[level]!.upper, row))}`), ...[...sorted].reverse().map((row) => `${x(row)},${y(yearly(row.prediction.bands[level]!.lower, row))}`)].join(" ");
  const ticks = [0, 0.5, 1].map((part) => part * top);
  return (
    <figure>
      <svg class="plot" viewBox="0 0 360 240" role="img" aria-label={sorted.map((row) => `${row.horizon}: ${format.whole(row.prediction.annualized_volatility)}, ${bandText(row)}`).join("; ")}>
        {ticks.map((tick) => <g key={tick}><line class="axis" x1="46" x2="340" y1={y(tick)} y2={y(tick)} /><text x="40" y={y(tick) + 4} text-anchor="end">{Math.round(tick * 100)}%</text></g>)}
        {["95", "80"].map((level) => sorted.every((row) => row.prediction.bands[level]) && <polygon key={level} class="band" points={area(level)} />)}
        <polyline class="curve" points={sorted.map((row) => `${x(row)},${y(row.prediction.annualized_volatility)}`).join(" ")} />
        {sorted.map((row) => <g key={row.horizon}><circle class="dot" cx={x(row)} cy={y(row.prediction.annualized_volatility)} r="4" /><text x={x(row)} y="232" text-anchor="middle">{row.horizon}</text></g>)}
      </svg>
      <figcaption class="small soft">Dark band: 80%. Light band: 95%.</figcaption>
    </figure>
  );
}

function Scores({ asset, horizon }: { asset: string; horizon: string }) {
  const address = `/v1/rvol/scorecard${params({ asset, horizon })}`;
  const found = useLoad<Score[]>((signal) => api(address, { signal }), [asset, horizon]);
  return (
    <section class="card" aria-label="Scorecard">
      <div class="rowline between"><h2>Models, scored out of sample</h2><Data json={address} csv={`${address}&format=csv`} /></div>
      {found.error ? <Failure error={found.error} /> : !found.data ? <Loading what="scores" /> : !found.data.length ? <Empty title="No window has closed yet" /> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Scores of models">
          <table class="data">
            <thead><tr><th scope="col">Model</th><th scope="col" class="n">QLIKE</th><th scope="col" class="n">Against HAR</th><th scope="col" class="n">80% band held</th><th scope="col" class="n">R²</th><th scope="col" class="n">Windows</th></tr></thead>
            <tbody>
              {[...found.data].sort((a, b) => a.qlike - b.qlike).map((row) => (
                <tr key={row.model_id}>
                  <th scope="row">{row.model_id}</th>
                  <td class="n">{row.qlike.toFixed(3)}</td>
                  <td class="n">{format.against(row.ratio_to_har)}</td>
                  <td class="n">{format.whole(row.coverage?.["80"])}</td>
                  <td class="n">{row.mz_r2 === null ? "–" : row.mz_r2.toFixed(2)}</td>
                  <td class="n">{row.n}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="small soft">QLIKE is a loss: lower is better. HAR is the usual reference model, compared on the windows that both forecast; QLIKE itself is over each model's own windows, so compare models by the column against HAR.</p>
    </section>
  );
}
