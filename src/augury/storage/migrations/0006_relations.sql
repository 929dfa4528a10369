-- Events across venues, and links between markets that are one contract.
-- All of it follows from the catalogue; backups leave the relation_ tables out.
create table relation_state (
  id      boolean primary key default true check (id),
  code    text not null,                  -- of the reading that built it; another builds anew
  change  bigint not null                 -- last change of the catalogue that is in it
);

create table relation_events (
  id      bigint generated always as identity primary key,
  kind    text not null check
          (kind in ('game', 'ladder', 'deadlines', 'contest', 'venue_event', 'single')),
  name    text not null,
  stages  bigint                          -- equal for events that are stages of one contest
);
create index relation_events_stages on relation_events (stages) where stages is not null;

-- A venue's event or a family of propositions; connected ones are one event.
create table relation_nodes (
  node      text primary key,
  event_id  bigint not null references relation_events (id)
);
create index relation_nodes_event on relation_nodes (event_id);

create table relation_members (
  market_seq  bigint primary key,
  platform    text not null,
  node        text not null,              -- the market's first node leads to its event
  kind        text not null,
  key         bigint,                     -- equal for markets that could be one contract
  stages      bigint
);
create index relation_members_node on relation_members (node);
create index relation_members_key on relation_members (key);

create table relation_links (
  polymarket_seq  bigint not null,
  kalshi_seq      bigint not null,
  inverted        boolean not null,       -- Yes of one is No of the other
  primary key (polymarket_seq, kalshi_seq)
);
create index relation_links_kalshi on relation_links (kalshi_seq);

alter table markets add column linked_market_ids text[] not null default '{}';
