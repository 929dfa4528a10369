-- Until then alerts of the rule are recorded and sent nowhere.
alter table watch_rules add column silenced_until timestamptz;
-- Until then nothing more is sent about the alert.
alter table alerts add column snoozed_until timestamptz;
