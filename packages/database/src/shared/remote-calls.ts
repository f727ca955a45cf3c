import type { Socket } from 'node:net'
import { EngineGone } from '../embedded/engine.ts'
import { DatabaseError } from '../errors.ts'
import { readMessages, send, type Answer, type Call, type Hello, type Message } from './messages.ts'

/** Longer than any statement waits in the queue of a busy app. */
const answeredWithinMs = 30_000

/** Calls the process that holds a folder, over one connection. */
export interface RemoteCalls {
  /** The first message of the holder; undefined if there is none. */
  readonly hello: Promise<Hello | undefined>
  /**
   * Resolves with the answer. Errors: `EngineGone` if the call had no effect, `unavailable` if that
   * is unknown, and those of the holder.
   */
  call: (asked: WithoutId<Call>) => Promise<{ id: number; data?: string | undefined }>
  /** Calls back with the notifications for one listener, until you call the returned function. */
  onNotified: (listener: number, onNotification: (payload: string) => void) => () => void
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

interface Waiting {
  resolve(answer: Answer): void
  fail(isUndone: boolean): void
}

export function createRemoteCalls(socket: Socket, folder: string): RemoteCalls {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<number, (payload: string) => void>()
  let lastId = 0
  let isGone = false
  let greet = (_hello: Hello | undefined) => {}
  const hello = new Promise<Hello | undefined>((resolve) => (greet = resolve))

  readMessages(socket, (json) => receive(JSON.parse(json)))
  // The close event follows.
  socket.on('error', () => undefined)
  socket.once('close', () => {
    greet(undefined)
    for (const { fail } of waiting.values()) fail(isGone)
    isGone = true
  })

  return {
    hello,
    call,
    onNotified(listener, onNotification) {
      listeners.set(listener, onNotification)
      return () => void listeners.delete(listener)
    },
  }

  async function call(asked: WithoutId<Call>) {
    // A transaction is lost with its connection; every other call can start again elsewhere.
    const isInTx = 'tx' in asked
    if (isGone) throw isInTx ? lost() : new EngineGone()
    const id = (lastId += 1)
    if (waiting.size === 0) socket.ref()
    const timer = setTimeout(() => socket.destroy(), answeredWithinMs)
    const answered = new Promise<Answer>((resolve, reject) => {
      const fail = (isUndone: boolean) => {
        const canBeginAnew = !isInTx && (isUndone || asked.call === 'begin')
        reject(canBeginAnew ? new EngineGone() : lost())
      }
      waiting.set(id, { resolve, fail })
    })
    try {
      send(socket, { ...asked, id })
      const answer = await answered
      if (!('error' in answer)) return answer
      const { code, message } = answer.error
      throw code ? new DatabaseError(code, message) : new Error(message)
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
      if (waiting.size === 0) socket.unref()
    }
  }

  function receive(message: Message): void {
    if ('protocol' in message) return greet(message)
    if ('listener' in message) return listeners.get(message.listener)?.(message.payload)
    if ('gone' in message) return void (isGone = true)
    waiting.get(message.id)?.resolve(message)
  }

  function lost(): DatabaseError {
    return new DatabaseError(
      'unavailable',
      `The process that holds the embedded database in ${folder} exited or does not answer, so it is unknown whether this statement took effect. The next call reconnects, or opens the database in this process.`,
    )
  }
}
