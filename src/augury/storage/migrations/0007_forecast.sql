-- A forecast as it was issued, never changed afterwards; what is filled in later is only how the
-- question it answered turned out.
create table forecasts (
  id                  text primary key,
  made_at             timestamptz not null default now(),
  as_of               timestamptz not null,       -- nothing later was read
  question            text not null,
  effective_question  text not null,
  probability         double precision check (probability between 0 and 1),
  lower               double precision,
  upper               double precision,
  confidence          double precision not null,
  crowd               double precision check (crowd between 0 and 1),  -- the deciding market's own price
  domain              text,
  closes_at           timestamptz,
  market_seq          bigint,                     -- the market that decides how it turned out,
  market_outcome      smallint,                   -- and the outcome of it that makes the answer Yes
  flipped             boolean not null default false,  -- or No
  evidence            jsonb not null default '[]',
  engine              text not null,
  outcome             double precision,           -- 1: it happened; 0: it did not
  resolved_at         timestamptz
);
create index forecasts_open on forecasts (market_seq) where outcome is null and market_seq is not null;
create index forecasts_scored on forecasts (resolved_at) where outcome is not null;

-- A run asks many questions. Its answers are kept one by one, so that a run that was killed goes
-- on where it stood.
create table forecast_runs (
  id             text primary key,
  account_id     text,
  job_id         text not null,
  questions      jsonb not null,
  include_graph  boolean not null,
  created_at     timestamptz not null default now()
);
create table forecast_run_answers (
  run_id    text not null references forecast_runs (id) on delete cascade,
  place     integer not null,
  answer    jsonb not null,
  primary key (run_id, place)
);

-- How often which integration asks, by what it says of itself. No key, account or address.
create table forecast_channels (
  day               date not null,
  attribution_code  text not null,
  referrer          text not null,
  channel           text not null,
  tool              text not null,
  client            text not null,
  client_version    text not null,
  forecasts         bigint not null,
  primary key (day, attribution_code, referrer, channel, tool, client, client_version)
);
