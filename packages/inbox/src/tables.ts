/** The tables of one inbox, with their schema. */
export interface Tables {
  entry: string
  quarantine: string
  /** What handlers have done outside the database. */
  effect: string
  /** The queue's own, to read. */
  job: string
}

/** Names the tables; the schema's own name has been checked by then. */
export function tablesIn(schema: string): Tables {
  return {
    entry: `${schema}.entry`,
    quarantine: `${schema}.quarantine`,
    effect: `${schema}.effect`,
    job: `${schema}_queue.job`,
  }
}
