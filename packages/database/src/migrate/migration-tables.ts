/** The statements that make a schema and the tables in which migrations are recorded. */
export function migrationTables(schema: string): string[] {
  return [
    `create schema if not exists ${schema}`,
    `create table if not exists ${schema}.migration (
       name text primary key,
       sha256 text not null,
       applied_at timestamptz not null default now()
     )`,
    `create table if not exists ${schema}.migration_lock (
       held boolean primary key default true check (held)
     )`,
    `insert into ${schema}.migration_lock values (true) on conflict do nothing`,
  ]
}
