#!/bin/sh
# The service's own role: it owns its database and is no superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$AUGURY_PASSWORD" -U postgres <<'SQL'
create role augury login password :'password';
create database augury owner augury;
SQL
