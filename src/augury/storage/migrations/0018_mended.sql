-- Some migrations were edited after folders had run them. What such folders have otherwise than a
-- new one is put right here; on a new one nothing happens.
create index if not exists markets_status_closes_at
  on markets (status, (coalesce(closes_at, 'infinity')), seq);
create index if not exists markets_url on markets (url);
drop table if exists incarnation;
drop sequence if exists relation_labels_change;

-- One forecast a model and origin: of several versions' the one issued first stays.
do $$
begin
  if (select cardinality(conkey) from pg_constraint
      where conname = 'rvol_forecasts_pkey' and conrelid = 'rvol_forecasts'::regclass) = 5 then
    delete from rvol_forecasts f using rvol_forecasts o
      where o.asset = f.asset and o.horizon = f.horizon and o.model_id = f.model_id
        and o.as_of = f.as_of
        and (o.set_id, o.model_version) < (f.set_id, f.model_version);
    alter table rvol_forecasts drop constraint rvol_forecasts_pkey;
    alter table rvol_forecasts add primary key (asset, horizon, model_id, as_of);
  end if;
end $$;
