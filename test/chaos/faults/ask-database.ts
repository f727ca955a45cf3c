import { Client } from 'pg'
import { until } from '../../support/until.ts'

/** Queries until there is an answer, up to a timeout, because the database may be starting. */
export async function askDatabase<Row>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await until(
    `an answer to ${text.trim().slice(0, 60)}`,
    async () => {
      const client = await openClient(url).catch(() => undefined)
      if (!client) return undefined
      try {
        return await client.query<Row & object>(text, values)
      } catch (error) {
        if (isPassing(error)) return undefined
        throw error
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    { withinMs: 60_000 },
  )
  return rows
}

/** A connection of the harness. The harness survives its loss. */
export async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'harness' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

// Anything except an error in the statement itself: the server stops, starts or cut the connection.
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return !/^\d[0-9A-Z]{4}$/.test(code) || /^(?:08|57P|40|55P)/.test(code)
}
