-- What forecasts have read of active markets. All of it follows from the catalogue; backups leave
-- it out.
create table forecast_words (
  market_seq  bigint primary key,
  digest      bytea not null,             -- of the market's text and of the code that read it
  words       bytea not null
);
create table forecast_words_state (
  id      boolean primary key default true check (id),
  code    text not null,                  -- that read the markets; another reads all of them anew
  change  bigint not null                 -- last change of the catalogue that was looked at
);
