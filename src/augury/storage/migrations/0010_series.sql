-- External series, their points and what these were before.
create sequence series_move;

create table series (
  id             text primary key,
  account_id     text not null references accounts (id),
  name           text not null,
  kind           text not null check (kind in ('macro_indicator', 'partner_feed')),
  source_type    text not null check (source_type in ('csv', 'json', 'fred', 'push')),
  host           text,
  url            bytea,                               -- sealed: addresses hold tokens
  headers        bytea,                               -- sealed
  header_names   text[] not null default '{}',
  time_path      text,
  value_path     text,
  unit           text,
  frequency      text,
  refresh_every  interval,
  etag           text,
  last_modified  text,
  fetched_at     timestamptz,                         -- last time the source answered
  attempted_at   timestamptz,
  failure        text,
  failures       integer not null default 0,
  due_at         timestamptz,                         -- while being fetched: its lease's end
  latest_time    timestamptz,
  latest_value   double precision,
  points         integer not null default 0,
  -- bumped with every new or changed point, under one lock (series/store.py)
  moved          bigint not null default nextval('series_move'),
  created_at     timestamptz not null default now()
);
create index series_account on series (account_id, id);
create index series_due on series (due_at) where due_at is not null;
create index series_moved on series (moved);

create table series_points (
  series_id  text not null references series (id) on delete cascade,
  time       timestamptz not null,
  value      double precision not null,
  known_at   timestamptz not null default now(),
  primary key (series_id, time)
);

-- What a point was before its source changed it.
create table series_revisions (
  series_id    text not null references series (id) on delete cascade,
  time         timestamptz not null,
  value        double precision not null,
  known_at     timestamptz not null,
  replaced_at  timestamptz not null default now(),
  primary key (series_id, time, known_at)
);
