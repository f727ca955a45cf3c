/** The tables of one inbox, with their schema. */
export interface Tables {
  entry: string
  /** What entries said before they were revised. */
  entryRevision: string
  quarantine: string
  /** What handlers have done outside the database. */
  effect: string
  /** How far the streams of the pull API have been read. */
  stream: string
  /** Where one had to begin again. */
  streamGap: string
  /** What people have done, and the entries they did it to. */
  operation: string
  operationEntry: string
  /** The queue's own, to read. */
  job: string
}

/** Names the tables; the schema's own name has been checked by then. */
export function tablesIn(schema: string): Tables {
  return {
    entry: `${schema}.entry`,
    entryRevision: `${schema}.entry_revision`,
    quarantine: `${schema}.quarantine`,
    effect: `${schema}.effect`,
    stream: `${schema}.poll_stream`,
    streamGap: `${schema}.stream_gap`,
    operation: `${schema}.operation`,
    operationEntry: `${schema}.operation_entry`,
    job: `${schema}_queue.job`,
  }
}
