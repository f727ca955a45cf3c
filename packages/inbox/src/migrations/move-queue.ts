/**
 * The statement that moves the tables, types and functions of pg-boss from one schema to another.
 * It only writes the catalog, so it takes the same time for any number of jobs. `from` and `to` are
 * SQL expressions, and the tables in `except` stay. Migrations contain its text, so it must not
 * change.
 */
export function moveQueueSql(from: string, to: string, except: readonly string[] = []): string {
  const tablesOf = `from pg_class
        where relnamespace = old_schema::regnamespace and relkind in ('r', 'p')
          and not relname = any('{${except.join(',')}}')`
  return `do $move$
declare
  old_schema text := ${from};
  new_schema text := ${to};
  item record;
  -- What the functions of pg-boss may name behind their schema.
  names text := '%I';
begin
  if to_regclass(old_schema || '.version') is null then
    return;
  end if;
  execute format('create schema if not exists %I', new_schema);

  -- All at once, so that no statement of another process finds half of them. Statements that already
  -- run take the same locks one by one, so a deadlock is possible, and lets go of all.
  for attempt in 1..10 loop
    begin
      for item in select relname as name ${tablesOf} order by relname loop
        execute format('lock table %I.%I in access exclusive mode', old_schema, item.name);
      end loop;
      exit;
    exception when deadlock_detected then
      if attempt = 10 then
        raise;
      end if;
    end;
  end loop;

  -- Asked again: pg-boss may have made a partition of the day in between.
  for item in select relname as name ${tablesOf} loop
    execute format('alter table %I.%I set schema %I', old_schema, item.name, new_schema);
    names := names || '|' || item.name;
  end loop;
  for item in select typname as name from pg_type
    where typnamespace = old_schema::regnamespace and typtype = 'e' loop
    execute format('alter type %I.%I set schema %I', old_schema, item.name, new_schema);
    names := names || '|' || item.name;
  end loop;
  select names || coalesce('|' || string_agg(proname, '|'), '') into names from pg_proc
    where pronamespace = old_schema::regnamespace;
  for item in select oid, oid::regprocedure as name from pg_proc
    where pronamespace = old_schema::regnamespace loop
    execute format('alter function %s set schema %I', item.name, new_schema);
    -- Their bodies name the schema. This keeps who may run them.
    execute regexp_replace(pg_get_functiondef(item.oid),
      '\\y' || old_schema || '\\.(?=(' || names || ')\\M)', new_schema || '.', 'g');
  end loop;
  -- Index builds that pg-boss has not come to yet.
  execute format('update %I.bam set command = regexp_replace(command, $1, $2, ''g'')', new_schema)
    using '\\y' || old_schema || '\\.(?=(' || names || ')\\M)', new_schema || '.';

  for item in select distinct a.grantee::regrole as name from pg_namespace n, aclexplode(n.nspacl) a
    where n.nspname = old_schema and a.privilege_type = 'USAGE' and a.grantee <> 0 loop
    execute format('grant usage on schema %I to %s', new_schema, item.name);
  end loop;
end
$move$;
`
}
