-- A market's id as a version 5 UUID, for callers that know only UUIDs. Null: not made by ingest.
alter table markets add column uuid uuid;
create unique index markets_uuid on markets (uuid);
