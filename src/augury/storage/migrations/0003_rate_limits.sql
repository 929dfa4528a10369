-- GCRA in one round trip: the twin of http/gcra.py, which says how it works.
create function augury_take(
  limit_key          text,
  emission_interval  interval,
  burst              integer,
  at                 timestamptz default clock_timestamp(),
  out allowed        boolean,
  out retry_after    double precision,
  out remaining      integer,
  out reset          double precision
) language plpgsql as $$
declare
  span  interval := emission_interval * burst;
  arrival timestamptz;
begin
  insert into rate_limits as r (key, tat)
  values (limit_key, at + emission_interval)
  on conflict (key) do update
    set tat = least(greatest(r.tat, at), at + span) + emission_interval
    where least(greatest(r.tat, at), at + span) + emission_interval <= at + span
  returning tat into arrival;
  allowed := found;
  if not allowed then
    select least(greatest(tat, at), at + span) into arrival
      from rate_limits where key = limit_key;
    -- Swept away since the conflict: nothing stands in the way of the next try.
    arrival := coalesce(arrival, at + span);
  end if;
  retry_after := case when allowed then 0
    else extract(epoch from arrival + emission_interval - (at + span)) end;
  remaining := floor(extract(epoch from at + span - arrival) / extract(epoch from emission_interval));
  reset := extract(epoch from arrival - at);
end $$;
