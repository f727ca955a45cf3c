/** They are created in the schema `model_watch`. */
export const tables = {
  '0001-model.sql': `
    create table fact (
      event_id     text primary key,
      provider     text not null,
      model        text not null,
      state        text not null,
      observed_at  timestamptz not null,
      effective_at timestamptz,
      replacements text[] not null default '{}',
      source_url   text not null,
      is_confirmed boolean not null,
      is_retracted boolean not null
    );
    create index on fact (model, provider, observed_at);
    create view model as
      select distinct on (provider, model) provider, model, state, observed_at as since,
        effective_at, replacements, source_url, event_id
      from fact
      where is_confirmed and not is_retracted
      order by provider, model, observed_at desc, event_id desc;`,
}

/** PostgreSQL stores no zero byte in a text. */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable)
  return typeof value === 'string' ? value.replace(/\0/g, '') : value
}
