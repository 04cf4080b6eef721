"""
The tables and functions of what machines share beside runs: traffic of origins, and tokens.

A function is one round trip for several statements, each of which sees what was committed before
it: a statement that waited for the lock of an origin by itself would count the places of before.
`p_now` stands for the database's time in tests.
"""

from __future__ import annotations

# What happens to requests under way is not worth a write that is safe: after a crash of the
# database these two tables are empty, and limits begin anew.
_TRAFFIC = """
create unlogged table restwright.origins (
    tenant text not null, origin text not null, failures integer not null default 0,
    cooldown_until timestamptz not null default '-infinity',
    next_start timestamptz not null default '-infinity', last_number bigint not null default 0,
    primary key (tenant, origin)
) with (fillfactor = 50);
create unlogged table restwright.places (
    tenant text not null, origin text not null, id text not null, number bigint not null,
    until timestamptz not null, start timestamptz, primary key (tenant, origin, id)
) with (fillfactor = 50);
"""

# A place in a queue, first come first served. Who has `p_max_concurrent` before it asks again in
# so long that all who wait together ask a few hundred times a second, however many they are. Who
# waits and is gone loses its place after some such intervals; who was let go and is gone, when its
# request would have been over.
_ADMIT = """
create function restwright.admit(
    p_tenant text, p_origin text, p_id text, p_is_retry boolean, p_left_s double precision,
    p_max_concurrent integer, p_every_s double precision, p_max_failures integer,
    p_cooldown_s double precision, p_now timestamptz default null,
    out verdict text, out seconds double precision
) language plpgsql as $$
declare
    o restwright.origins;
    mine restwright.places;
    now_ timestamptz;
    before integer;
begin
    loop
        select * into o from restwright.origins
            where tenant = p_tenant and origin = p_origin for update;
        exit when found;
        insert into restwright.origins (tenant, origin) values (p_tenant, p_origin)
            on conflict do nothing;
    end loop;
    now_ := coalesce(p_now, clock_timestamp());
    delete from restwright.places
        where tenant = p_tenant and origin = p_origin and until < now_;
    select * into mine from restwright.places
        where tenant = p_tenant and origin = p_origin and id = p_id;
    if not found then
        if not p_is_retry and o.failures >= p_max_failures then
            if now_ < o.cooldown_until then
                verdict := 'rest';
                seconds := extract(epoch from o.cooldown_until - now_);
                return;
            end if;
            o.cooldown_until := now_ + make_interval(secs => p_cooldown_s);
        end if;
        o.last_number := o.last_number + 1;
        insert into restwright.places
            values (p_tenant, p_origin, p_id, o.last_number, 'infinity') returning * into mine;
    end if;
    verdict := 'go';
    if mine.start is null then
        select count(*) into before from restwright.places
            where tenant = p_tenant and origin = p_origin and number < mine.number;
        if before < p_max_concurrent then
            mine.start := greatest(now_, o.next_start);
            o.next_start := mine.start + make_interval(secs => p_every_s);
            mine.until := now_ + make_interval(secs => p_left_s + 1);
        else
            verdict := 'wait';
            seconds := least(5, 0.02 * (before - p_max_concurrent + 1));
            mine.until := now_ + make_interval(secs => 2 + 3 * seconds);
        end if;
        update restwright.places set start = mine.start, until = mine.until
            where tenant = p_tenant and origin = p_origin and id = p_id;
        update restwright.origins set cooldown_until = o.cooldown_until,
            next_start = o.next_start, last_number = o.last_number
            where tenant = p_tenant and origin = p_origin;
    end if;
    if verdict = 'go' then
        seconds := greatest(0, extract(epoch from mine.start - now_));
    end if;
end $$;
"""

# Said twice, after a connection was lost, it counts a failure once. `p_has_failed` is null where
# nobody knows how an attempt ended.
_FINISH = """
create function restwright.finish(
    p_tenant text, p_origin text, p_id text, p_has_failed boolean, p_rest_s double precision,
    p_max_failures integer, p_cooldown_s double precision, p_now timestamptz default null
) returns boolean language plpgsql as $$
declare
    o restwright.origins;
    now_ timestamptz;
begin
    select * into o from restwright.origins
        where tenant = p_tenant and origin = p_origin for update;
    now_ := coalesce(p_now, clock_timestamp());
    delete from restwright.places where tenant = p_tenant and origin = p_origin and id = p_id;
    if found and p_has_failed is not null then
        o.failures := case when p_has_failed then o.failures + 1 else 0 end;
        if o.failures = p_max_failures then
            o.cooldown_until := now_ + make_interval(secs => p_cooldown_s);
        end if;
        if p_rest_s > 0 then
            o.next_start := greatest(o.next_start, now_ + make_interval(secs => p_rest_s));
        end if;
        update restwright.origins set failures = o.failures, cooldown_until = o.cooldown_until,
            next_start = o.next_start where tenant = p_tenant and origin = p_origin;
    end if;
    return coalesce(o.failures, 0) < p_max_failures;
end $$;
"""

# `is_spent`: a refresh token went out, and what came back is not kept yet.
_TOKENS = """
create table restwright.tokens (
    tenant text not null, key text not null, contents text not null default '',
    is_spent boolean not null default false, changed timestamptz not null default now(),
    holder text not null default '', until timestamptz not null default '-infinity',
    primary key (tenant, key)
);
"""

_SECURE = "".join(
    f"""
alter table restwright.{table} enable row level security;
alter table restwright.{table} force row level security;
create policy tenant on restwright.{table}
    using (tenant = current_setting('restwright.tenant', true))
    with check (tenant = current_setting('restwright.tenant', true));
"""
    for table in ("origins", "places", "tokens")
)

SHARED_LIMITS = _TRAFFIC + _ADMIT + _FINISH + _TOKENS + _SECURE
"""The migration that makes all of it."""

ADMIT = """
select verdict, seconds from restwright.admit(%(tenant)s, %(origin)s, %(id)s, %(is_retry)s,
    %(left_s)s, %(max_concurrent)s, %(every_s)s, %(max_failures)s, %(cooldown_s)s, %(now)s)
"""
FINISH = """
select restwright.finish(%(tenant)s, %(origin)s, %(id)s, %(has_failed)s, %(rest_s)s,
    %(max_failures)s, %(cooldown_s)s, %(now)s)
"""
