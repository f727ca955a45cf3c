import type { Socket } from 'node:net'
import { EngineGone, type Turn } from '../embedded/engine.ts'
import { runRaw } from '../embedded/pglite-statements.ts'
import type { Rank } from '../embedded/turns.ts'
import { readMessages, readParameter, send, type Call, type SentResult } from './messages.ts'
import { packError } from './sent-error.ts'
import { endedByLimit, serveTransaction, type ServedTransaction } from './serve-transaction.ts'

/** What the holder of a folder does for the processes that work through it. */
export interface ServedEngine {
  takeTurn(rank: Rank): Promise<Turn>
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    rank: Rank,
  ): Promise<() => Promise<void>>
  /** For a guest: releases the folder, for another process to open. */
  leave?(): Promise<void>
}

/** Answers the calls of one connection, and returns a function that ends it. */
export function serveConnection(socket: Socket, engine: ServedEngine): () => void {
  const transactions = new Map<number, ServedTransaction>()
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
      socket.destroySoon()
    })
  }

  async function answer(call: Call): Promise<void> {
    const { id } = call
    try {
      send(socket, { id, results: await perform(call) })
    } catch (error) {
      if (!(error instanceof EngineGone)) send(socket, { id, error: packError(error) })
    }
  }

  async function perform(call: Call): Promise<SentResult[]> {
    if (call.call === 'run') return await run(call)
    if (call.call === 'begin') await begin(call.id)
    if (call.call === 'commit') await endOf(call.tx).commit()
    if (call.call === 'rollBack') await endOf(call.tx).rollBack()
    if (call.call === 'leave') await engine.leave?.()
    if (call.call === 'listen') await listen(call.id, call.channel)
    if (call.call === 'unlisten') await unlistenTo(call.listener)
    return []
  }

  async function run({ text, values, tx }: Call & { call: 'run' }): Promise<SentResult[]> {
    const parameters = values?.map(readParameter)
    if (tx !== undefined) return await transactionOf(tx).run(text, parameters)
    const { lite, passOn } = await nextTurn()
    try {
      return await runRaw(lite, text, parameters)
    } finally {
      await passOn()
    }
  }

  async function begin(id: number): Promise<void> {
    const transaction = await serveTransaction(await nextTurn())
    transactions.set(id, transaction)
    if (isClosing) transaction.end()
  }

  async function nextTurn(): Promise<Turn> {
    const turn = await engine.takeTurn('served')
    if (!isClosing) return turn
    await turn.passOn()
    throw new EngineGone()
  }

  function endOf(tx: number): ServedTransaction {
    const transaction = transactionOf(tx)
    transactions.delete(tx)
    return transaction
  }

  function transactionOf(tx: number): ServedTransaction {
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
