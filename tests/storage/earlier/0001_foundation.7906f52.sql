-- Catalogue, price history, sync state, access, limits, jobs.

-- Ingest transactions take one advisory lock each (markets/store.py), so `change` numbers
-- become visible in their own order and an index may follow them with a plain "> n".
create sequence market_change;

create table markets (
  seq            bigint generated always as identity primary key,
  id             text not null unique,
  platform       text not null check (platform in ('polymarket', 'kalshi')),
  platform_id    text not null,
  question       text not null,
  title          text not null,
  subtitle       text,
  description    text,
  outcomes       text[] not null,
  prices         double precision[] not null,
  price_as_of    timestamptz,
  status         text not null check (status in ('active', 'closed', 'resolved')),
  resolution     text,
  created_at     timestamptz,
  closes_at      timestamptz,
  resolved_at    timestamptz,
  event_id       text,
  event_name     text,
  series_id      text,
  exclusive      boolean,
  group_id       text,
  group_name     text,
  market_type    text not null default 'binary'
                 check (market_type in ('binary', 'sum_to_one', 'winner_take_all', 'threshold_ladder')),
  category       text,
  tags           text[] not null default '{}',
  volume         double precision,
  volume_24h     double precision,
  liquidity      double precision,
  open_interest  double precision,
  best_bid       double precision,
  best_ask       double precision,
  strike_kind    text,
  strike_floor   double precision,
  strike_cap     double precision,
  url            text,
  slug           text,
  token_ids      text[] not null default '{}',
  origin         text not null check (origin in ('venue', 'dump', 'sample')),
  observed_at    timestamptz,
  updated_at     timestamptz not null default now(),
  -- bumped when something the search index holds has changed
  change         bigint not null default nextval('market_change')
) with (fillfactor = 85);  -- room to note a newer look at an unchanged market in place
create unique index markets_change on markets (change);
create index markets_event on markets (platform, event_id);
create index markets_group on markets (group_id);
create index markets_slug on markets (slug);
create index markets_category on markets (lower(category));
-- One a sort order of the list, in the very expressions its pages compare (keyset).
create index markets_volume on markets ((coalesce(volume, -1)), seq);
create index markets_status_volume on markets (status, (coalesce(volume, -1)), seq);
create index markets_closes_at on markets ((coalesce(closes_at, 'infinity')), seq);
create index markets_updated_at on markets (updated_at, seq);
create index markets_sample on markets (seq) where origin = 'sample';

-- The text filter of the list works without pg_trgm too, only slower.
do $$
begin
  create extension if not exists pg_trgm;
  create index markets_question on markets using gin (question gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or undefined_object
    or feature_not_supported or object_not_in_prerequisite_state then
    raise notice 'pg_trgm is not available: the text filter of markets has no index';
end $$;

-- Deleted markets (a sample giving way to real data), for an index that follows.
create table market_removals (
  change  bigint primary key default nextval('market_change'),
  seq     bigint not null
);

-- No foreign key: a check per point doubles the time of an import, and markets are deleted in
-- one place only (markets/store.py), which deletes their points too.
create table prices (
  market_seq  bigint not null,
  outcome     smallint not null,
  at          timestamptz not null,
  price       double precision not null check (price between 0 and 1),
  source      text not null,
  primary key (market_seq, outcome, at)
);

-- One row a venue and flow: where a killed sync goes on, and how fresh the venue's data is.
create table sync_state (
  platform       text not null,
  flow           text not null,
  cursor         jsonb,
  started_at     timestamptz,
  progressed_at  timestamptz,
  succeeded_at   timestamptz,
  failed_at      timestamptz,
  failure        text,
  stats          jsonb not null default '{}',
  primary key (platform, flow)
);

create table accounts (
  id             text primary key,
  name           text not null unique,
  rvol_approved  boolean not null default false,
  created_at     timestamptz not null default now()
);

create table api_keys (
  id           text primary key,
  account_id   text not null references accounts (id),
  prefix       text not null unique,          -- the look-up part of the key
  secret_hash  bytea not null,                -- SHA-256 of the whole key
  scopes       text[] not null,
  label        text,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz
);
create index api_keys_account on api_keys (account_id);

-- GCRA: the theoretical arrival time of each limited key. Unlogged: a crash forgives.
create unlogged table rate_limits (
  key  text primary key,
  tat  timestamptz not null
);

create table idempotency_keys (
  account_id    text not null,
  key           text not null,
  request_hash  bytea not null,
  created_at    timestamptz not null default now(),
  status        integer,                      -- null: in flight
  headers       jsonb,
  body          bytea,
  primary key (account_id, key)
);

create table jobs (
  id              text primary key,
  kind            text not null,
  account_id      text,
  status          text not null default 'queued'
                  check (status in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  request         jsonb not null default '{}',
  progress_stage  text,
  progress_detail jsonb,
  result          jsonb,
  error_message   text,
  attempts        integer not null default 0,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  heartbeat_at    timestamptz,
  finished_at     timestamptz
);
create index jobs_kind_status on jobs (kind, status, created_at);
