-- The market's volume up to then, where the source tells it: differences are what was traded
-- between two times. In the venue's unit; of candles counted from the first of them.
alter table prices add column volume double precision check (volume >= 0);
