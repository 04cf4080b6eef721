"""
What a journal asks PostgreSQL, by `%(name)s`; what changes something does no harm done twice.

`lease_s` is in seconds. A lease that has run out, and that nobody has taken, is still its holder's.
"""

from __future__ import annotations

LISTED = """
select id, extract(epoch from started)::double precision, question, agent, model, apis::text,
    stopped, answer, (select count(*) from restwright.events e
        where e.tenant = s.tenant and e.session = s.id and event != 'forgotten'), now,
    traceparent
from restwright.sessions s where tenant = %(tenant)s
"""
LATEST_FIRST = f"{LISTED} order by started desc, id"
OF_ID = f"{LISTED} and id = %(name)s"
EVENTS = """
select number, extract(epoch from at)::double precision, elapsed_s, place, event, data::text,
    octets, hash, last
from restwright.leases l left join restwright.events e using (tenant, session)
where tenant = %(tenant)s and session = %(name)s order by number
"""
UNTIL = "clock_timestamp() + make_interval(secs => %(lease_s)s)"
ADD = """
insert into restwright.sessions (tenant, id, question, agent, model, apis, now, traceparent)
values (%(tenant)s, %(id)s, %(question)s, %(agent)s, %(model)s, %(apis)s, %(now)s,
    %(traceparent)s)
on conflict (tenant, id) do nothing
"""
# Said twice, after a connection was lost, it begins the session once, under the same lease.
START = f"""
with begun as ({ADD})
insert into restwright.leases (tenant, session, token, until, last)
values (%(tenant)s, %(id)s, %(token)s, {UNTIL}, 0) on conflict (tenant, session) do nothing
"""
LINK = """
insert into restwright.handovers (tenant, session, before)
values (%(tenant)s, %(id)s, %(before)s) on conflict (tenant, session) do nothing
"""
CLAIM = f"""
insert into restwright.leases as held (tenant, session, token, until, last)
select tenant, id, %(token)s, {UNTIL}, 0
from restwright.sessions where tenant = %(tenant)s and id = %(name)s
on conflict (tenant, session) do update set token = excluded.token, until = excluded.until
where held.until < clock_timestamp() or held.token = excluded.token
"""
FREE = """
update restwright.leases set until = '-infinity'
where tenant = %(tenant)s and session = %(name)s and token = %(token)s
"""
# Of a worker that is gone: its tokens begin with its name.
FREE_ALL = """
update restwright.leases set until = '-infinity'
where tenant = %(tenant)s and session = any(%(names)s) and starts_with(token, %(holder)s || '/')
"""
# It waits for none that is being written, which renews it too: two that wait for each other fail.
RENEW = f"""
with free as (
    select l.session from unnest(%(names)s::text[], %(tokens)s::text[]) held (session, token)
    join restwright.leases l using (session, token)
    where l.tenant = %(tenant)s and l.until > '-infinity' for update of l skip locked
)
update restwright.leases l set until = {UNTIL} from free
where l.tenant = %(tenant)s and l.session = free.session
"""
# A lease that has run out, and that nobody has taken, is still its holder's.
MINE = """
tenant = %(tenant)s and session = %(name)s and token = %(token)s and until > '-infinity'
"""
HELD = f"exists (select from restwright.leases where {MINE})"
# Said twice, after a connection was lost, it keeps the event once.
APPEND = f"""
with held as (
    update restwright.leases set last = %(number)s, until = {UNTIL} where {MINE} returning 1
), kept as (
    insert into restwright.events
        (tenant, session, number, elapsed_s, place, event, data, octets, hash)
    select %(tenant)s, %(name)s, %(number)s, %(elapsed_s)s, %(place)s, %(event)s, %(data)s::json,
        %(octets)s::bytea, %(hash)s from held
    on conflict (tenant, session, number) do nothing
)
select 1 from held
"""
FORGET = f"""
update restwright.events e set place = '', event = %(event)s, data = 'null', octets = null,
    hash = new.hash
from unnest(%(numbers)s::integer[], %(hashes)s::text[]) new (number, hash)
where e.tenant = %(tenant)s and e.session = %(name)s and e.number = new.number and {HELD}
"""
# A run that has ended is had by nobody; one of which there is more goes on in the same hands.
END = f"""
with held as (
    update restwright.leases set until = case %(stopped)s when '' then until else '-infinity' end
    where {MINE} returning 1
)
update restwright.sessions set stopped = %(stopped)s, answer = %(answer)s
where tenant = %(tenant)s and id = %(name)s and exists (select from held)
"""
ENDED = """
select token, stopped, answer from restwright.sessions s
join restwright.leases l on l.tenant = s.tenant and l.session = s.id
where s.tenant = %(tenant)s and s.id = %(name)s
"""
BEGIN = f"""
update restwright.sessions set agent = %(agent)s, model = %(model)s, apis = %(apis)s, now = %(now)s,
    traceparent = %(traceparent)s
where tenant = %(tenant)s and id = %(name)s and {HELD}
"""
ASKED = """
select id, session, place, kind, request_hash, contents,
    extract(epoch from asked)::double precision,
    extract(epoch from answered)::double precision, answered_by, answer,
    extract(epoch from closed)::double precision
from restwright.questions where tenant = %(tenant)s
"""
COUNT_OPEN = """
select count(*) from restwright.questions
where tenant = %(tenant)s and answered is null and closed is null
"""
ASK = f"""
insert into restwright.questions
    (tenant, id, session, place, kind, request_hash, contents)
select %(tenant)s, %(id)s, %(name)s, %(place)s, %(kind)s, %(request_hash)s, %(contents)s
where {HELD}
on conflict (tenant, id) do update set contents = excluded.contents, asked = now(),
    answered = null, answered_by = '', answer = '', closed = null
where questions.closed is not null
"""
ANSWER = """
update restwright.questions set answered = now(), answered_by = %(by)s, answer = %(answer)s
where tenant = %(tenant)s and id = %(id)s and closed is null
    and (answered is null or (answered_by = %(by)s and answer = %(answer)s))
"""
CLOSE = f"""
update restwright.questions set closed = now()
where tenant = %(tenant)s and session = %(name)s and id = any(%(ids)s) and closed is null
    and {HELD}
"""
TURNS = """
select session, conversation, number, is_undone from restwright.turns t where tenant = %(tenant)s
"""
OF_CONVERSATION = """
and conversation in (select conversation from restwright.turns
    where tenant = %(tenant)s and %(name)s in (conversation, session))
"""
APPEND_TURN = """
insert into restwright.turns (tenant, conversation, number, session)
select %(tenant)s, %(conversation)s, coalesce(max(number), 0) + 1, %(name)s
from restwright.turns where tenant = %(tenant)s and conversation = %(conversation)s
on conflict (tenant, session) do nothing
"""
UNDO = """
update restwright.turns set is_undone = true where tenant = %(tenant)s and session = %(name)s
"""
RUN = """
with recursive run (id) as (
    select unnest(%(names)s::text[])
    union
    select case run.id when h.session then h.before else h.session end
    from restwright.handovers h join run on run.id in (h.session, h.before)
    where h.tenant = %(tenant)s
)
"""
RUNS = f"""
{RUN} select id from run join restwright.sessions using (id) where tenant = %(tenant)s order by id
"""
HANDOFFS = """
select session, before from restwright.handovers where tenant = %(tenant)s
"""
LOCK = """
select session, until > clock_timestamp() from restwright.leases
where tenant = %(tenant)s and session = any(%(names)s) order by session for update
"""
DELETE = "delete from restwright.sessions where tenant = %(tenant)s and id = any(%(names)s)"
OLD = """
select id from restwright.sessions where tenant = %(tenant)s and stopped != ''
    and started < now() - make_interval(secs => %(older_than_s)s) order by started
"""
BELONGING = """
with recursive run (id) as (
    select %(name)s::text
    union
    select other.id from run, lateral (
        select case run.id when h.session then h.before else h.session end
        from restwright.handovers h
        where h.tenant = %(tenant)s and run.id in (h.session, h.before)
        union all
        select b.session
        from restwright.turns a join restwright.turns b using (tenant, conversation)
        where a.tenant = %(tenant)s and a.session = run.id
    ) other (id)
)
select id, stopped != '' and started < until and not exists (
    select from restwright.events e where e.tenant = s.tenant and e.session = s.id and at >= until
)
from run join restwright.sessions s using (id),
    (select now() - make_interval(secs => %(older_than_s)s)) past (until)
where tenant = %(tenant)s
"""
