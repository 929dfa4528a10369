-- What a search index needs beside its documents. A restored backup empties this table, so that
-- every index is built anew from the restored catalogue.
create table search_indexes (
  name         text primary key,          -- the index's own identity, schema included
  frequencies  bytea not null,            -- in how many markets each term occurs
  counted      bytea not null,            -- which markets (by seq, one bit each) are in them
  updated_at   timestamptz not null default now()
);
alter table search_indexes alter frequencies set storage external, alter counted set storage external;
