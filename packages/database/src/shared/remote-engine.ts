import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { messages } from '@electric-sql/pglite'
import { attempt } from '../errors.ts'
import type { Engine } from '../embedded/engine.ts'
import { importPglite, type PgliteModule } from '../embedded/pglite-fault.ts'
import { pack, protocol, unpack } from './messages.ts'
import { createRemoteCalls, type RemoteCalls } from './remote-calls.ts'
import { socketPath } from '../lock/socket-path.ts'

/** The time limit for the greeting, and the least for a guest to leave. */
const greetedWithinMs = 1_000
const longestTimerMs = 2 ** 31 - 1

/**
 * The engine of the process that holds the folder with that lock. Undefined if it cannot be called:
 * it does not share the folder, has another user or another version, or does not answer in time. If
 * a guest holds the folder and this process is no guest, asks it to leave, and waits at most
 * `leaveMs` for its transactions; undefined then, too.
 */
export async function connectToHolder(
  folder: string,
  token: string,
  { isGuest, leaveMs }: { isGuest: boolean; leaveMs: number },
): Promise<Engine | undefined> {
  const path = socketPath(folder, token)
  if (path === undefined || !isOurUsers(path)) return undefined
  const pglite = await importPglite()
  const socket = connect(path)
  const calls = createRemoteCalls(socket, folder)
  const hello = await Promise.race([calls.hello, delay(greetedWithinMs, undefined, { ref: false })])
  if (hello?.protocol !== protocol || hello.token !== token) {
    socket.destroy()
    return undefined
  }
  if (hello.isGuest && !isGuest) {
    const lateMs = Math.min(Math.max(leaveMs, greetedWithinMs), longestTimerMs)
    const late = delay(lateMs, undefined, { ref: false })
    await Promise.race([calls.call({ call: 'leave' }).catch(() => undefined), late])
    socket.destroy()
    return undefined
  }
  // An open connection must not keep the process alive; an engine of its own would not, either.
  socket.unref()
  return remoteEngine(socket, calls, pglite)
}

function isOurUsers(path: string): boolean {
  return attempt(() => lstatSync(path).uid === process.getuid?.(), false)
}

function remoteEngine(
  socket: Socket,
  { call, onNotified }: RemoteCalls,
  pglite: PgliteModule,
): Engine {
  return {
    pglite,
    // The next call finds out if the holder has left, and nothing calls before.
    isListening: () => false,
    send: async (make) => read(await call({ call: 'send', message: pack(make()) })),
    async takeTurn() {
      const { id: tx } = await call({ call: 'begin' })
      return {
        pglite,
        send: async (make) => read(await call({ call: 'send', message: pack(make()), tx })),
        passOn: async (last) =>
          read(await call({ call: 'end', ...(last && { message: pack(last) }), tx })),
      }
    },
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

  function read({ data: packed = '' }: { data?: string | undefined }) {
    const data = unpack(packed)
    const answers: messages.BackendMessage[] = []
    new pglite.protocol.Parser().parse(data, (message) => answers.push(message))
    return { messages: answers, data }
  }
}
