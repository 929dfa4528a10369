-- Answers of a language model, by a hash of all that they depend on.
create table llm_answers (
  key      bytea primary key,
  task     text not null,
  model    text not null,
  answer   text,                        -- null: what came was of no use
  made_at  timestamptz not null
);
create index on llm_answers (made_at);

-- What was spent of each day's allowance. A call books the most that it may cost before it is
-- sent, and gives back what it did not use: no crash and no other process can exceed the cap.
create table llm_spending (
  day     date primary key,             -- UTC
  calls   bigint not null,
  tokens  bigint not null,
  nanos   bigint not null               -- money, 10^-9 of the currency of the prices
);

-- How a language model relates pairs of events, each by its leading market.
create table relation_labels (
  id          bigint generated always as identity primary key,
  pair        bytea not null unique,    -- hash of both texts
  first_seq   bigint not null references markets (seq) on delete cascade,
  second_seq  bigint not null references markets (seq) on delete cascade,
  relation    text not null check (relation in ('causes', 'caused_by', 'correlated', 'none')),
  sign        smallint not null check (sign in (-1, 0, 1)),
  lag_days    integer not null check (lag_days >= 0),
  reason      text not null,
  model       text not null,
  status      text not null default 'proposed'
              check (status in ('proposed', 'confirmed', 'rejected')),
  made_at     timestamptz not null,
  check (first_seq <> second_seq)
);
create index on relation_labels (second_seq);
create index on relation_labels (first_seq);

-- Raised by every change of the labels, for those who keep them in memory.
create sequence relation_labels_change;
