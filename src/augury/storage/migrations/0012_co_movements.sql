-- Pairs of markets whose prices move together beyond chance; made anew as a whole, so that
-- backups may leave it out.
create table relation_co_movements (
  first_seq    bigint not null,
  second_seq   bigint not null,           -- follows the first by lag_steps
  lag_steps    smallint not null,
  correlation  real not null,
  steps        integer not null,          -- on which both prices are known
  q            real not null,             -- expected share of chance among pairs as sure as this
  primary key (first_seq, second_seq)
);
create table relation_co_movement_state (
  id           boolean primary key default true check (id),
  measured_at  timestamptz not null,
  markets      integer not null           -- with enough history to be compared
);
