#!/bin/sh
# Two roles of the database: its owner makes tables, restwright_worker only uses them.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/worker_password`
create role restwright_worker login password :'password';
alter default privileges grant usage on schemas to restwright_worker;
alter default privileges grant select, insert, update, delete on tables to restwright_worker;
alter default privileges grant usage, select on sequences to restwright_worker;
SQL
