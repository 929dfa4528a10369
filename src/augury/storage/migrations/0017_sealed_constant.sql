-- A constant sealed under the installation's key: a process that can't open it has another key.
create table sealed_constant (
  only_one  boolean primary key default true check (only_one),
  sealed    bytea not null
);
