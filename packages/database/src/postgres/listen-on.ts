import { setTimeout as delay } from 'node:timers/promises'
import type { TakenClient } from './postgres-client.ts'

export interface ListenOptions {
  take: () => Promise<TakenClient>
  giveBack: (client: TakenClient) => void
  channel: string
  onNotification: (payload: string) => void
  /** Called whenever it listens, again: what was notified in between is lost. */
  onReconnect: () => void
  /** Aborts when there are no connections any more. */
  signal: AbortSignal
}

export interface Listening {
  close(): Promise<void>
}

/** How often a connection that is silent is asked whether it still is one, and for how long. */
const checkMs = 10_000
const query_timeout = 5_000
const retryMs = 1_000

/** Listens on a connection of its own, and on another one if that is lost, until it is closed. */
export async function listenOn(options: ListenOptions): Promise<Listening> {
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, options.signal])
  const listening = keepListening(await begin(options), options, signal)
  return {
    async close() {
      closing.abort()
      await listening
    },
  }
}

async function begin({
  take,
  giveBack,
  channel,
  onNotification,
  onReconnect,
}: ListenOptions): Promise<TakenClient> {
  const client = await take()
  try {
    client.hear(onNotification)
    await client.run({ text: `listen "${channel.replaceAll('"', '""')}"`, query_timeout })
  } catch (error) {
    client.discard(error)
    giveBack(client)
    throw error
  }
  onReconnect()
  return client
}

async function keepListening(
  first: TakenClient,
  options: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  let client: TakenClient | undefined = first
  for (;;) {
    if (client) await untilLost(client, signal)
    if (client) options.giveBack(client)
    await pause(retryMs, signal)
    if (signal.aborted) return
    // Whoever listens asks now and then all the same, so that a failure here need not be told.
    client = await begin(options).catch(() => undefined)
  }
}

/** Discards the connection in the end: it must not bring news to whoever uses it next. */
async function untilLost(client: TakenClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !client.isBroken()) {
    await Promise.race([client.broken, pause(checkMs, signal)])
    if (!signal.aborted)
      await client.run({ text: 'select 1', query_timeout }).catch(() => undefined)
  }
  client.discard(new Error('listened on'))
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
