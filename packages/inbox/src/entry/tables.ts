/** The tables of an inbox and of its queue that must exist. */
export const tableNames = Object.values(tablesIn(''))
  .map((name) => name.slice(1))
  .concat('queue', 'version')

/** The tables of one inbox, with their schema. */
export type Tables = ReturnType<typeof tablesIn>

/** Names the tables. The schema's name must be validated before. */
export function tablesIn(schema: string) {
  return {
    entry: `${schema}.entry`,
    /** The signed body and the content from pull, until retention deletes them. */
    entryBody: `${schema}.entry_body`,
    /** The content of entries before each revision. */
    entryRevision: `${schema}.entry_revision`,
    quarantine: `${schema}.quarantine`,
    /** The effects of handlers outside the database. */
    effect: `${schema}.effect`,
    /** How far each stream of the pull API has been read. */
    stream: `${schema}.poll_stream`,
    /** The streams that had to begin again. */
    streamGap: `${schema}.stream_gap`,
    /** The operations by people, and their entries. */
    operation: `${schema}.operation`,
    operationEntry: `${schema}.operation_entry`,
    /** Counts of rejected deliveries. */
    rejection: `${schema}.rejection`,
    /** The types whose jobs no worker claims. */
    pause: `${schema}.pause`,
    /** The extensions that must see entries before they are deleted. */
    extension: `${schema}.extension`,
    /** The job table of the queue, only to read. */
    job: `${schema}.job`,
  }
}
