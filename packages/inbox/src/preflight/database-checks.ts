/** One thing that an inbox needs of its database. */
export interface DatabaseCheck {
  name: string
  /** `rejected` fails the start, because events would be lost or no delivery would be stored. */
  verdict: 'rejected' | 'warned'
  /**
   * SQL for the finding as text; null if all is well. `$1` is the schema, `$2` the tables to check,
   * and `$3` the privileges that the role needs on each.
   */
  sql: string
  /** The oldest PostgreSQL that knows the SQL, as `server_version_num`. */
  since?: number
  /** What is wrong, with `{found}`, and why it matters. */
  says: string
  /** What to do, with `{found}`, `{schema}`, `{role}` and `{database}`. */
  fix: string | ((found: string) => string)
}

/** Before the tables are installed. */
export const serverChecks: readonly DatabaseCheck[] = [
  {
    name: 'encoding',
    verdict: 'rejected',
    sql: `nullif(current_setting('server_encoding'), 'UTF8')`,
    says: 'The database has the encoding {found}, so it cannot store every event.',
    fix: `Use another one: create database … encoding 'UTF8' template template0`,
  },
  {
    name: 'read only',
    verdict: 'rejected',
    sql: `(select 'on' where current_setting('default_transaction_read_only') = 'on')`,
    says: 'The database accepts only reads, because default_transaction_read_only is on. Some hosts set it when the disk is full.',
    fix: 'Free some space or ask the host, then run: alter database {database} reset default_transaction_read_only; alter role {role} reset default_transaction_read_only',
  },
  {
    name: 'fsync',
    verdict: 'warned',
    sql: `(select string_agg(name, ' and ' order by name) from pg_settings
       where name in ('fsync', 'full_page_writes') and setting = 'off')`,
    says: 'The server runs with {found} off, so a power failure may lose events that were answered with 202, or damage the database.',
    fix: 'Remove the setting from postgresql.conf and restart the server, unless your host keeps the write-ahead log elsewhere.',
  },
  {
    name: 'collation version',
    verdict: 'warned',
    since: 150_000,
    sql: `(select 'version ' || datcollversion || ', and the system has ' || actual
       from pg_database, pg_database_collation_actual_version(oid) actual
       where datname = current_database() and datcollversion is distinct from actual)`,
    says: 'The collation of the database has {found}, so indexes on text may miss rows. The keys of the inbox compare by bytes and are safe; those of pg-boss and of your own tables are not.',
    fix: 'Run: reindex database {database}; alter database {database} refresh collation version',
  },
  {
    name: 'idle timeout',
    verdict: 'warned',
    sql: `(select string_agg(name || ' is ' || setting || ' ms', ' and ' order by name) from pg_settings
       where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')
         and reset_val::bigint between 1 and 60000)`,
    says: '{found}, so an attempt fails whose handler waits longer within its transaction.',
    fix: (found) =>
      `Run: ${found.replaceAll(/(\w+) is \d+ ms/g, 'alter role {role} set $1 to 0').replaceAll(' and ', '; ')}`,
  },
]

const checked = `(
  select oid, relname, relpersistence, relrowsecurity from pg_class
  where relnamespace = to_regnamespace($1) and relname = any($2::text[])
)`

/** The policies of row security that apply to the role, and whether they let every row pass. */
const policies = `(
  select polcmd, polpermissive, (polcmd = 'a' or using_sql = 'true')
    and coalesce(check_sql, using_sql) = 'true' as is_open
  from pg_policy, pg_get_expr(polqual, polrelid) using_sql,
    pg_get_expr(polwithcheck, polrelid) check_sql
  where polrelid = checked.oid and exists (
    select from unnest(polroles) granted
    where case when granted = 0 then true else pg_has_role(granted, 'usage') end
  )
)`

/** After that. */
export const tableChecks: readonly DatabaseCheck[] = [
  {
    name: 'missing table',
    verdict: 'rejected',
    sql: `(select string_agg(name, ', ' order by name) from unnest($2::text[]) name
       where to_regclass($1 || '.' || name) is null)`,
    says: 'The schema {schema} has lost {found}, although its migrations are recorded as applied.',
    fix: 'Restore it from a backup, or create it again with the statements of its migration. inboxSql() returns those of the inbox, and of the extensions that you pass.',
  },
  {
    name: 'privileges',
    verdict: 'rejected',
    sql: `(select string_agg(lacking || ' on ' || $1 || '.' || relname, '; ' order by relname)
       from (
         select relname, (
           select string_agg(name, ', ')
           from json_array_elements_text($3::json -> relname::text) as privilege (name)
           where not has_table_privilege(checked.oid, name)
         ) as lacking from ${checked} checked
       ) found where lacking is not null)`,
    says: 'The role {role} lacks {found}, so a delivery, a handler, prune or an extension would fail.',
    fix: (found) =>
      `As the owner, run: ${found
        .split('; ')
        .map((lacking) => `grant ${lacking} to {role};`)
        .join(' ')}`,
  },
  {
    name: 'row security',
    verdict: 'rejected',
    sql: `(select string_agg(relname, ', ' order by relname) from ${checked} checked
       where relrowsecurity and row_security_active(oid) and (
         exists (select from ${policies} policy where not polpermissive)
         or exists (
           select from json_array_elements_text($3::json -> relname::text) as privilege (name),
             lateral (
               select case name when 'select' then 'r' when 'insert' then 'a' when 'update' then 'w'
                 else 'd' end as command
             ) as needed where not exists (
             select from ${policies} policy
             where polpermissive and is_open and polcmd in (command, '*')
           )
         )
       ))`,
    says: 'Row security may hide rows of {found} from the role {role}, or reject them.',
    fix: 'For each of them, run: create policy feed_inbox on {schema}.… to {role} using (true) with check (true). Drop the restrictive policies, too. Or give the role the attribute bypassrls.',
  },
  {
    name: 'unlogged table',
    verdict: 'rejected',
    sql: `(select string_agg(relname, ', ' order by relname) from ${checked} checked
       where relpersistence = 'u')`,
    says: 'A crash of the server empties {found}, because it is unlogged.',
    fix: 'For each of them, run: alter table {schema}.… set logged',
  },
]

/** The sequence of the ids of a table. */
export type Sequence = Record<'table' | 'sequence', string>

/** SQL for the sequences of the ids that the role may read: table and sequence. */
export const sequencesSql = `select relname as "table", sequence
  from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'id',
    pg_get_serial_sequence($1 || '.' || quote_ident(relname), attname) sequence
  where relnamespace = to_regnamespace($1) and relname = any($2::text[])
    and has_sequence_privilege(sequence, 'select') and has_table_privilege(pg_class.oid, 'select')`

/** Checks the next value, because `restart with` sets it without a last one. */
export const sequenceCheck = (schema: string, sequences: readonly Sequence[]): DatabaseCheck => ({
  name: 'sequence',
  verdict: 'rejected',
  sql: `(select string_agg(name, ', ') from (
     select '' as name where false ${sequences
       .map(
         ({ table, sequence }) => `union all select '${table}' from ${sequence}
           where last_value + is_called::integer <= (select max(id) from ${schema}.${table})`,
       )
       .join(' ')}
   ) behind)`,
  says: 'The next id of {found} is taken already, as after a logical replication, so their next row would not be stored.',
  fix: `For each of them, run: select setval(pg_get_serial_sequence('{schema}.…', 'id'), (select max(id) from {schema}.…))`,
})
