import type { Socket } from 'node:net'
import type { ExecProtocolResult } from '@electric-sql/pglite'
import { EngineGone, type Engine } from '../embedded/engine.ts'
import { pack, packError, readMessages, send, unpack, type Call } from './messages.ts'
import { endedByLimit, limitTurn, type LimitedTurn } from './limit-turn.ts'

/** For a guest: releases the folder, for another process to open. */
export type Leave = (() => Promise<void>) | undefined

/** Answers the calls of one connection, and returns a function that ends it. */
export function serveConnection(socket: Socket, engine: Engine, leave: Leave): () => void {
  const transactions = new Map<number, LimitedTurn>()
  const listeners = new Map<number, () => Promise<void>>()
  let isClosing = false

  // Both sides have the same user and protocol; anything else fails below, or is closed.
  readMessages(socket, (json) => {
    const call: Call | null = JSON.parse(json)
    if (typeof call !== 'object' || call === null) throw new TypeError('no call')
    void answer(call)
  })
  socket.unref()
  // The close event follows.
  socket.on('error', () => undefined)
  socket.once('close', () => {
    isClosing = true
    for (const { end } of transactions.values()) end()
    for (const unlisten of listeners.values()) unlisten().catch(() => undefined)
  })
  return () => {
    isClosing = true
    // After the answer to the current call. Calls that wait for a turn get no answer.
    setImmediate(() => {
      send(socket, { gone: true })
      socket.end()
    })
  }

  async function answer(call: Call): Promise<void> {
    const { id } = call
    try {
      const result = await perform(call)
      send(socket, { id, data: result && pack(result.data) })
    } catch (error) {
      if (!(error instanceof EngineGone)) send(socket, { id, error: packError(error) })
    }
  }

  async function perform(call: Call): Promise<ExecProtocolResult | undefined> {
    if (call.call === 'send') {
      const session = call.tx === undefined ? engine : transactionOf(call.tx)
      const message = unpack(call.message)
      const make = () => {
        // The other process may end while its statement waits for a turn.
        if (isClosing) throw new EngineGone()
        return message
      }
      return await session.send(make, 'served')
    }
    if (call.call === 'end') {
      const { passOn } = transactionOf(call.tx)
      transactions.delete(call.tx)
      return await passOn(call.message === undefined ? undefined : unpack(call.message))
    }
    if (call.call === 'begin') await begin(call.id)
    if (call.call === 'leave') await leave?.()
    if (call.call === 'listen') await listen(call.id, call.channel)
    if (call.call === 'unlisten') await unlistenTo(call.listener)
    return undefined
  }

  async function begin(id: number): Promise<void> {
    const transaction = limitTurn(await engine.takeTurn('served'))
    transactions.set(id, transaction)
    if (isClosing) transaction.end()
  }

  function transactionOf(tx: number): LimitedTurn {
    const transaction = transactions.get(tx)
    if (transaction) return transaction
    throw endedByLimit()
  }

  async function listen(listener: number, channel: string): Promise<void> {
    const notify = (payload: string) => send(socket, { listener, payload })
    const unlisten = await engine.listen(channel, notify, 'served')
    listeners.set(listener, unlisten)
    if (isClosing) await unlisten()
  }

  async function unlistenTo(listener: number): Promise<void> {
    const unlisten = listeners.get(listener)
    listeners.delete(listener)
    await unlisten?.()
  }
}
