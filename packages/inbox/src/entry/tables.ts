/** The tables of one inbox. */
const names = {
  entry: 'entry',
  /** The signed body and the content from pull, until retention deletes them. */
  entryBody: 'entry_body',
  /** The content of entries before each revision. */
  entryRevision: 'entry_revision',
  quarantine: 'quarantine',
  /** The effects of handlers outside the database. */
  effect: 'effect',
  /** How far each stream of the pull API has been read. */
  stream: 'poll_stream',
  /** The streams that had to begin again. */
  streamGap: 'stream_gap',
  /** The operations by people, and their entries. */
  operation: 'operation',
  operationEntry: 'operation_entry',
  /** Counts of rejected deliveries. */
  rejection: 'rejection',
  /** The types whose jobs no worker claims. */
  pause: 'pause',
  /** The extensions that must see entries before they are deleted. */
  extension: 'extension',
  /** The job table of the queue, only to read. */
  job: 'job',
}

/** The names of the tables of one inbox, with their schema, as SQL. */
export type Tables = { [Name in keyof typeof names]: string }

/** Names the tables. The schema's name must be validated before. */
export function tablesIn(schema: string): Tables {
  const tables = Object.entries(names).map(([name, table]) => [name, `${schema}.${table}`])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets the names
  return Object.fromEntries(tables) as Tables
}

export type Privilege = 'select' | 'insert' | 'update' | 'delete'

/** The privileges that a role needs, by the name of the table without the schema. */
export type TablePrivileges = Readonly<Record<string, readonly Privilege[]>>

const written: readonly Privilege[] = ['select', 'insert', 'update']
const { entry, entryBody, effect, quarantine, operation, rejection, pause, job } = names
const deletedFrom = [entry, entryBody, effect, quarantine, operation, rejection, pause, job]

/** What an inbox needs on its tables, and on those of its queue, which stores jobs in a partition. */
export function inboxPrivileges(partition: string): TablePrivileges {
  return Object.fromEntries(
    [...Object.values(names), 'queue', 'version', partition].map((name) => {
      const isDeletedFrom = name === partition || deletedFrom.includes(name)
      return [name, isDeletedFrom ? [...written, 'delete'] : written]
    }),
  )
}
