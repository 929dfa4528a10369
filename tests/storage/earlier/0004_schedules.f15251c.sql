-- Periodic work. Whoever runs one holds the session lock of its name, and moves `due_at` on when
-- done: of a killed run nothing remains but that it is still due.
create table schedules (
  name         text primary key,
  every        interval not null,
  due_at       timestamptz not null default now(),
  started_at   timestamptz,
  finished_at  timestamptz,
  failed_at    timestamptz,
  failure      text,
  failures     integer not null default 0     -- in a row
);

-- Which life of the data this is: a restore starts a new one, and what is kept outside of the
-- database (a search index) is good only for the life it was built in.
create table incarnation (
  id     uuid primary key default gen_random_uuid(),
  since  timestamptz not null default now()
);
insert into incarnation default values;
