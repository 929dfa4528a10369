-- Watchlists: targets, rules, states, alerts, deliveries; what moved among the markets.

-- Bumped with every change of a quote, a volume or a status, where `change` follows only what an
-- index holds. Taken under the same lock, so these numbers too become visible in their order.
create sequence market_move;
alter table markets add moved bigint not null default nextval('market_move');
create index markets_moved on markets (moved);

create table watchlists (
  id           text primary key,
  account_id   text not null references accounts (id),
  name         text not null,
  description  text,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);
create index watchlists_account on watchlists (account_id, id);

create table watch_targets (
  id            text primary key,
  watchlist_id  text not null references watchlists (id) on delete cascade,
  kind          text not null check (kind in ('market', 'event', 'asset', 'series', 'search')),
  ref           text not null,
  outcome       text,
  label         text,
  -- when the markets of an event or a saved search were last looked up
  resolved_at   timestamptz,
  created_at    timestamptz not null default now()
);
create index watch_targets_watchlist on watch_targets (watchlist_id, id);
create index watch_targets_series on watch_targets (ref) where kind = 'series';
create index watch_targets_resolved on watch_targets (resolved_at) where kind in ('event', 'search');

-- The markets of a target: one, or those of its event or search. By id, not by number: a market
-- that goes (a sample giving way) and comes again is the same.
create table watch_members (
  target_id  text not null references watch_targets (id) on delete cascade,
  market_id  text not null,
  primary key (target_id, market_id)
);
create index watch_members_market on watch_members (market_id);

create table watch_rules (
  id            text primary key,
  watchlist_id  text not null references watchlists (id) on delete cascade,
  target_id     text references watch_targets (id) on delete cascade,  -- null: all it fits
  name          text not null,
  metric        text not null,
  op            text not null,
  threshold     double precision,
  label         text,                                 -- what a status is compared with
  span          interval,                             -- the metric's window
  hold          interval not null default '0',        -- "for"
  cooldown      interval not null default '0',
  hysteresis    double precision not null default 0,
  severity      text not null check (severity in ('info', 'warning', 'critical')),
  expires_at    timestamptz,
  created_at    timestamptz not null default now()
);
create index watch_rules_watchlist on watch_rules (watchlist_id, id);
create index watch_rules_target on watch_rules (target_id);

-- One a rule and a target it holds for, made with the later of both.
create table watch_states (
  rule_id       text not null references watch_rules (id) on delete cascade,
  target_id     text not null references watch_targets (id) on delete cascade,
  watchlist_id  text not null references watchlists (id) on delete cascade,
  status        text not null default 'no_data'
                check (status in ('ok', 'pending', 'firing', 'resolved', 'no_data')),
  since         timestamptz,
  alerting      boolean not null default false,      -- an alert is open, whatever the status
  armed         boolean not null default false,      -- seen on the other side of the threshold
  episode       integer not null default 0,
  fired_at      timestamptz,
  value         double precision,
  label         text,
  as_of         timestamptz,
  reason        text,                                 -- why there is no data
  evaluated_at  timestamptz,
  due_at        timestamptz not null default '-infinity',  -- when time alone may change it
  primary key (rule_id, target_id)
) with (fillfactor = 70);
create index watch_states_target on watch_states (target_id);
create index watch_states_watchlist on watch_states (watchlist_id);
create index watch_states_due on watch_states (due_at);

create table alerts (
  id            text primary key,
  seq           bigint generated always as identity unique,
  account_id    text not null,
  watchlist_id  text not null references watchlists (id) on delete cascade,
  rule_id       text not null,                        -- alerts outlive their rule
  target_id     text not null,
  episode       integer not null,
  state         text not null check (state in ('firing', 'resolved')),
  severity      text not null,
  value         double precision,
  label         text,
  as_of         timestamptz,
  fired_at      timestamptz not null,
  resolved_at   timestamptz,
  resolution    text check (resolution in ('recovered', 'expired', 'removed')),
  record        jsonb not null,                       -- what was known when it fired
  unique (rule_id, target_id, episode)
);
create unique index alerts_one_open on alerts (rule_id, target_id) where state = 'firing';
create index alerts_feed on alerts (watchlist_id, seq desc);
create index alerts_open on alerts (watchlist_id) where state = 'firing';

-- How far evaluation has followed what moved.
create table watch_progress (
  source  text primary key,
  moved   bigint not null
);
insert into watch_progress values ('markets', 0), ('series', 0);

-- Traded volume of markets that a rule compares with their past.
create table watch_volumes (
  market_id  text not null,
  at         timestamptz not null,
  volume     double precision not null,
  primary key (market_id, at)
);

create table watch_deliveries (
  id             text primary key,
  watchlist_id   text not null references watchlists (id) on delete cascade,
  type           text not null check (type in ('webhook', 'notify')),
  host           text not null,
  url            bytea not null,                      -- sealed: addresses hold tokens
  secret         bytea,                               -- sealed
  enabled        boolean not null default true,
  off_reason     text,
  failing_since  timestamptz,
  delivered_at   timestamptz,
  created_at     timestamptz not null default now()
);
create index watch_deliveries_watchlist on watch_deliveries (watchlist_id, id);

-- What is to be delivered: written with the alert, in one transaction.
create table watch_messages (
  id            text primary key,                     -- the webhook-id
  seq           bigint generated always as identity unique,
  delivery_id   text not null references watch_deliveries (id) on delete cascade,
  alert_id      text,
  kind          text not null,
  payload       text not null,
  status        text not null default 'pending'
                check (status in ('pending', 'delivered', 'failed')),
  attempts      integer not null default 0,           -- begun; a killed one left no failure
  failures      integer not null default 0,
  due_at        timestamptz not null default now(),   -- while it is being sent: its lease's end
  created_at    timestamptz not null default now(),
  ended_at      timestamptz,
  replays       text
) with (fillfactor = 80);
create unique index watch_messages_once on watch_messages (delivery_id, alert_id, kind)
  where replays is null and alert_id is not null;
create index watch_messages_due on watch_messages (delivery_id, due_at) where status = 'pending';
create index watch_messages_log on watch_messages (delivery_id, seq desc);

create table watch_attempts (
  message_id   text not null references watch_messages (id) on delete cascade,
  attempt      integer not null,
  at           timestamptz not null,
  status_code  integer,
  failure      text,
  seconds      double precision not null,
  primary key (message_id, attempt)
);
