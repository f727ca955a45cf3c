/**
 * What an ordered inbox handles one after the other: events of one subject of one provider. An event
 * without a subject waits for nobody. An expression over the columns of an entry; bounded, since
 * pg-boss keeps an index over it.
 */
export const orderKeySql = `left(coalesce(
  provider || '/' || coalesce(subject_type, '') || '/' || subject_key, 'entry/' || id
), 600)`

/** The order of acceptance. Ids alone are not it: those of one statement go by the ids of events. */
export const inOrderSql = 'order by received_at, id'

/** What the queue has to know of an entry. */
export interface EntryToQueue {
  id: number
  orderKey: string
}
