-- Files of markets and prices that an operator sends by HTTP, and what became of them.
create table import_files (
  id          text primary key,
  name        text not null,
  bytes       bigint not null check (bytes > 0),
  -- the job that reads it; null: not all of it is here yet
  job_id      text,
  created_at  timestamptz not null default now()
);
-- Its bytes, until they are read: any worker may be the one who does it.
create table import_parts (
  import_id   text not null references import_files (id) on delete cascade,
  number      int not null check (number >= 0),
  body        bytea not null,
  primary key (import_id, number)
);
alter table import_parts alter column body set storage external;
