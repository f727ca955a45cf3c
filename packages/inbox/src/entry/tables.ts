/** The names of the tables of one inbox, with their schema, as SQL. */
export interface Tables {
  entry: string
  /** The signed body and the content from pull, until retention deletes them. */
  entryBody: string
  /** The content of entries before each revision. */
  entryRevision: string
  quarantine: string
  /** The effects of handlers outside the database. */
  effect: string
  /** How far each stream of the pull API has been read. */
  stream: string
  /** The streams that had to begin again. */
  streamGap: string
  /** The operations by people, and their entries. */
  operation: string
  operationEntry: string
  /** Counts of rejected deliveries. */
  rejection: string
  /** The types whose jobs no worker claims. */
  pause: string
  /** The extensions that must see entries before they are deleted. */
  extension: string
  /** The job table of the queue, only to read. */
  job: string
}

/** Names the tables. The schema's name must be validated before. */
export function tablesIn(schema: string): Tables {
  return {
    entry: `${schema}.entry`,
    entryBody: `${schema}.entry_body`,
    entryRevision: `${schema}.entry_revision`,
    quarantine: `${schema}.quarantine`,
    effect: `${schema}.effect`,
    stream: `${schema}.poll_stream`,
    streamGap: `${schema}.stream_gap`,
    operation: `${schema}.operation`,
    operationEntry: `${schema}.operation_entry`,
    rejection: `${schema}.rejection`,
    pause: `${schema}.pause`,
    extension: `${schema}.extension`,
    job: `${schema}.job`,
  }
}

export type Privilege = 'select' | 'insert' | 'update' | 'delete'

/** The privileges that a role needs, by the name of the table without the schema. */
export type TablePrivileges = Readonly<Record<string, readonly Privilege[]>>

const written: readonly Privilege[] = ['select', 'insert', 'update']
const deletedFrom = [
  'entry',
  'entry_body',
  'effect',
  'quarantine',
  'operation',
  'rejection',
  'pause',
  'job',
]

/** What an inbox needs on its tables, and on those of its queue, which stores jobs in a partition. */
export function inboxPrivileges(partition: string): TablePrivileges {
  const own = Object.values(tablesIn('')).map((name) => name.slice(1))
  return Object.fromEntries(
    [...own, 'queue', 'version', partition].map((name) => {
      const isDeletedFrom = name === partition || deletedFrom.includes(name)
      return [name, isDeletedFrom ? [...written, 'delete'] : written]
    }),
  )
}
