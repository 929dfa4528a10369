-- Quotes that can't be right, and recorded prices of the same kind. What is here stands nowhere else.
create table quarantine (
  market_id    text not null,
  -- of a recorded price; -1: the market's whole quote
  outcome      smallint not null default -1,
  at           timestamptz not null,
  prices       double precision[] not null,
  best_bid     double precision,
  best_ask     double precision,
  source       text not null,
  reason       text not null check (reason in ('unit', 'book', 'event_sum', 'twin')),
  detail       text not null,
  held_at      timestamptz not null default now(),
  released_at  timestamptz,
  primary key (market_id, outcome, at)
);
create index quarantine_held on quarantine (reason) where released_at is null;
