import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { attempt } from '../errors.ts'
import type { Result } from '../driver.ts'
import type { Engine } from '../embedded/engine.ts'
import { toParameters } from '../values/parameters.ts'
import { parserFor } from '../values/value-parsers.ts'
import { protocol, sendParameter, type SentResult } from './messages.ts'
import { createRemoteCalls, type Calls } from './remote-calls.ts'
import { socketPath } from '../lock/socket-path.ts'

const greetedWithinMs = 1_000

/**
 * The engine of the process that holds the folder with that lock. Undefined if it cannot be called:
 * it does not share the folder, has another user or another version, or does not answer in time. If
 * a guest holds the folder and this process is no guest, asks it to leave; undefined then, too.
 */
export async function connectToHolder(
  folder: string,
  token: string,
  isGuest: boolean,
): Promise<Engine | undefined> {
  const path = socketPath(folder, token)
  if (path === undefined || !isOurUsers(path)) return undefined
  const socket = connect(path)
  const calls = createRemoteCalls(socket, folder)
  const hello = await Promise.race([calls.hello, delay(greetedWithinMs, undefined, { ref: false })])
  if (hello?.protocol !== protocol || hello.token !== token) {
    socket.destroy()
    return undefined
  }
  if (hello.isGuest && !isGuest) {
    await calls.call({ call: 'leave' }).catch(() => undefined)
    return undefined
  }
  // An open connection must not keep the process alive; an engine of its own would not, either.
  socket.unref()
  return remoteEngine(socket, calls)
}

function isOurUsers(path: string): boolean {
  return attempt(() => lstatSync(path).uid === process.getuid?.(), false)
}

function remoteEngine(socket: Socket, { call, onNotified }: Calls): Engine {
  return {
    // The next call finds out if the holder has left, and nothing calls before.
    isListening: () => false,
    query: async (text, values) => toResult(await run(text, values)),
    async begin() {
      const { id: tx } = await call({ call: 'begin' })
      return {
        query: async (text, values) => toResult(await run(text, values, tx)),
        executeSql: async (text, values) => toRows(await run(text, orNone(values), tx)),
        async commit() {
          await call({ call: 'commit', tx })
        },
        async rollBack() {
          await call({ call: 'rollBack', tx }).catch(() => undefined)
        },
      }
    },
    executeSql: async (text, values) => toRows(await run(text, orNone(values))),
    async listen(channel, onNotification) {
      const { id: listener } = await call({ call: 'listen', channel })
      const forget = onNotified(listener, onNotification)
      return async () => {
        forget()
        await call({ call: 'unlisten', listener })
      }
    },
    async close() {
      socket.destroy()
    },
  }

  async function run(
    text: string,
    values: readonly unknown[] | undefined,
    tx?: number,
  ): Promise<SentResult[]> {
    const sent = values && { values: toParameters(values).map(sendParameter) }
    const { results } = await call({ call: 'run', text, ...sent, ...(tx !== undefined && { tx }) })
    return results
  }
}

// Without values the text may hold several statements.
function orNone(values: readonly unknown[] | undefined): readonly unknown[] | undefined {
  return values && values.length > 0 ? values : undefined
}

function toResult<Row>([result]: SentResult[]): Result<Row> {
  const { fields, rows, rowCount } = result ?? { fields: [], rows: [], rowCount: 0 }
  const columns = fields.map(([name, oid]) => ({ name, parse: parserFor(oid) }))
  // The caller knows the types of the columns, as with every driver.
  const toRow = (values: (string | null)[]): Row => {
    const entries = columns.map(({ name, parse }, index) => {
      const value = values[index] ?? null
      return [name, value === null ? null : parse(value)]
    })
    return Object.fromEntries(entries)
  }
  return { rows: rows.map(toRow), rowCount }
}

function toRows(results: SentResult[]): { rows: unknown[] } {
  return { rows: results.flatMap((result) => toResult([result]).rows) }
}
