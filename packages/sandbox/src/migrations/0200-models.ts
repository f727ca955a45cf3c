export const models = `-- The id of the model that an event is a standing fact about, without its provider and as JSON spells
-- it; null for all else, and for what was retracted.
alter table event add column model text;
create index event_model on event (model, provider) where model is not null;
`
