-- Realized volatility: bars as they came, measures, models, forecasts as issued, what came of them.
create table rvol_assets (
  asset          text primary key,
  display_name   text not null,
  target_family  text not null,           -- assets of a family learn from each other
  calendar       text not null,           -- '24/7', or an exchange's by its ISO code
  minutes        smallint not null,       -- length of its bars
  source         text,                    -- where bars are fetched from; null: only imported
  active         boolean not null default true,
  origin         text not null check (origin in ('sample', 'import', 'exchange')),
  fetched_at     timestamptz,
  failure        text,                    -- why the last fetch failed, in plain words
  updated_at     timestamptz not null default now()
);

-- The bars of a day as they were sent. A correction is another revision; none is changed.
create table rvol_bars (
  asset        text not null references rvol_assets on delete cascade,
  day          date not null,
  revision     smallint not null,
  minutes      smallint not null,
  n            int not null,
  source       text not null,
  data         bytea not null,
  fingerprint  text not null,
  received_at  timestamptz not null default now(),
  primary key (asset, day, revision)
);
alter table rvol_bars alter data set storage external;  -- compressed already

-- The measures of a day; `known_at` says since when, so that any past state can be had again.
create table rvol_days (
  asset          text not null references rvol_assets on delete cascade,
  day            date not null,
  revision       smallint not null,
  known_at       timestamptz not null default clock_timestamp(),
  current        boolean not null default true,
  counts         boolean not null,        -- whole enough to be measured
  rv             float8 not null,         -- of the whole day, overnight included
  bv             float8, rsv_neg float8, rsv_pos float8, medrv float8, rk float8, rq float8,
  tq             float8, ret float8, overnight float8, close float8,
  n_obs          int, expected int, longest_fill int, bad int,
  early_close    boolean not null default false,
  primary key (asset, day, revision)
);
create unique index rvol_days_current on rvol_days (asset, day) where current;

create table rvol_models (
  model_id        text not null,
  model_version   text not null,
  code            text not null,          -- hash of the code that fits it
  families        text[] not null,
  members         text[] not null,
  training        text not null,
  created_at      timestamptz not null default now(),
  primary key (model_id, model_version)
);
create table rvol_aliases (
  alias          text not null,
  since          timestamptz not null default now(),
  model_id       text not null,
  model_version  text,                    -- null: whatever version is newest
  reason         text not null,
  primary key (alias, since)
);

-- One publication: everything a family got for a day, in one transaction.
create table rvol_sets (
  set_id        bigint generated always as identity primary key,
  family        text not null,
  day           date not null,
  issued        text not null check (issued in ('live', 'replay')),
  known_at      timestamptz not null,     -- inputs: days up to `day`, as known at this time
  inputs        text not null,            -- hash of them
  assets        text[] not null,          -- made for these; some may be too short to be forecast
  published_at  timestamptz not null default now()
);
create index rvol_sets_day on rvol_sets (family, day);

create table rvol_forecasts (
  asset            text not null references rvol_assets on delete cascade,
  horizon          smallint not null,
  model_id         text not null,
  model_version    text not null,
  as_of            timestamptz not null,
  set_id           bigint not null references rvol_sets,
  target_start_at  timestamptz not null,
  target_end_at    timestamptz not null,
  steps            smallint not null,     -- days or sessions in the target window
  variance         float8 not null,
  annualized       float8 not null,
  lower_80 float8 not null, upper_80 float8 not null, lower_90 float8 not null,
  upper_90 float8 not null, lower_95 float8 not null, upper_95 float8 not null,
  families         jsonb,                 -- of the blend: {family: [value, contribution]}
  members          jsonb,                 -- of the blend: {member: variance}
  primary key (asset, horizon, model_id, model_version, as_of)
);
create index rvol_forecasts_set on rvol_forecasts (set_id);
create index rvol_forecasts_as_of on rvol_forecasts (model_id, as_of desc, asset, horizon);

create table rvol_actuals (
  asset            text not null references rvol_assets on delete cascade,
  horizon          smallint not null,
  as_of            timestamptz not null,
  revision         smallint not null,
  current          boolean not null default true,
  target_start_at  timestamptz not null,
  target_end_at    timestamptz not null,
  steps            smallint not null,
  variance         float8,                -- null: a day of the window is missing for good
  status           text not null check (status in ('preliminary', 'final', 'incomplete')),
  known_at         timestamptz not null,
  primary key (asset, horizon, as_of, revision)
);
create unique index rvol_actuals_current on rvol_actuals (as_of desc, asset, horizon) where current;

-- Bumped by every transaction that changes what the routes answer.
create table rvol_state (version bigint not null);
insert into rvol_state values (1);
