import type { PgResult } from './postgres-client.ts'

/** node-postgres answers a text of several statements with an array, which its types do not say. */
export function resultsOf<Row>(result: PgResult<Row> | PgResult<Row>[]): PgResult<Row>[] {
  return Array.isArray(result) ? result : [result]
}
