-- A browser that signed in: by an API key, whose scopes it then has, or by the owner's link.
create table console_sessions (
  id          text primary key,
  token_hash  bytea not null unique,       -- SHA-256 of the cookie
  account_id  text not null references accounts (id) on delete cascade,
  key_id      text references api_keys (id) on delete cascade,
  scopes      text[] not null,             -- of a session without a key
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);
create index on console_sessions (expires_at);

-- Links that `augury serve` prints. Each works once.
create table sign_in_links (
  token_hash  bytea primary key,
  account_id  text not null references accounts (id) on delete cascade,
  expires_at  timestamptz not null
);

alter table api_keys add column last_used_at timestamptz;
