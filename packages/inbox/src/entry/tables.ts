/** The tables of one inbox, with their schema. */
export type Tables = ReturnType<typeof tablesIn>

/** Names the tables; the schema's own name has been checked by then. */
export function tablesIn(schema: string) {
  return {
    entry: `${schema}.entry`,
    /** What was signed and what pull saw, as long as it is kept. */
    entryBody: `${schema}.entry_body`,
    /** What entries said before they were revised. */
    entryRevision: `${schema}.entry_revision`,
    quarantine: `${schema}.quarantine`,
    /** What handlers have done outside the database. */
    effect: `${schema}.effect`,
    /** How far the streams of the pull API have been read. */
    stream: `${schema}.poll_stream`,
    /** Where one had to begin again. */
    streamGap: `${schema}.stream_gap`,
    /** What people have done, and the entries they did it to. */
    operation: `${schema}.operation`,
    operationEntry: `${schema}.operation_entry`,
    /** Rejected deliveries, counted. */
    refusal: `${schema}.refusal`,
    /** The types whose jobs no worker claims. */
    pause: `${schema}.pause`,
    alert: `${schema}.alert`,
    /** The queue's own, to read. */
    job: `${schema}.job`,
  }
}
