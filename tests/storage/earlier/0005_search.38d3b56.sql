-- What a search index needs beside its documents.
create table search_indexes (
  name         text primary key,          -- index, its schema, the database's incarnation
  frequencies  bytea not null,            -- in how many markets each term occurs
  counted      bytea not null,            -- which markets (by seq, one bit each) are in them
  updated_at   timestamptz not null default now()
);
alter table search_indexes alter frequencies set storage external, alter counted set storage external;

-- An address pasted as a query names a market, or an event by its page.
create index markets_url on markets (url);
