import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver, type ReceiverOptions } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox, type Handlers, type Inbox } from '@feed-receiver/inbox'
import express from 'express'
import { afterAll, beforeAll, onTestFinished, type TestContext } from 'vitest'
import {
  createTarget,
  type DatabaseKind,
  type TestTarget,
} from '../../../test/support/databases.ts'
import { takeLock } from '../../database/src/lock/lock.ts'

export interface App {
  url: string
  inbox: Inbox
  database: TestTarget['target']
  /** Arguments that name the same database. */
  databaseArguments: string[]
  stop(): Promise<void>
}

/**
 * Locks the folder of an embedded inbox during one test, as a process does that does not share it.
 */
export async function lockFolder(
  test: Pick<TestContext, 'onTestFinished'>,
): Promise<{ folder: string; release(): void }> {
  const { target, drop } = await createTarget('pglite', 'inbox')
  if (typeof target === 'string') throw new Error('not a folder')
  const { release } = await takeLock(target.folder, { waitMs: 0 })
  test.onTestFinished(async () => {
    release()
    await drop()
  })
  return { folder: target.folder, release }
}

export interface AppOptions extends Partial<Omit<ReceiverOptions, 'inbox'>> {
  kind: DatabaseKind
  secret: string
  handlers?: Handlers
  /** Adds extensions before the inbox starts. */
  extend?: (inbox: Inbox) => unknown
}

/** Starts a real app with a real inbox during one test. */
export async function startApp(options: AppOptions): Promise<App> {
  const { close, ...app } = await serveApp(options)
  onTestFinished(close)
  return app
}

/** Gives the surrounding describe block one app, for tests that leave it as it is. */
export function useApp(options: AppOptions): () => App {
  let served: Awaited<ReturnType<typeof serveApp>> | undefined
  beforeAll(async () => {
    served = await serveApp(options)
  })
  afterAll(() => served?.close())
  return () => {
    if (!served) throw new Error('the app starts in beforeAll, and this was before it')
    return served
  }
}

async function serveApp({
  kind,
  secret,
  handlers,
  extend,
  ...options
}: AppOptions): Promise<App & { close(): Promise<void> }> {
  const { target, drop } = await createTarget(kind, 'inbox')
  const inbox = createInbox({ database: target })
  extend?.(inbox)
  await inbox.start()
  if (handlers) await inbox.work(handlers)
  const receiver = createReceiver({ secrets: [secret], inbox, ...options })
  const server = express().post('/webhooks/feed', toExpress(receiver)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let stopping: Promise<void> | undefined
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/feed`,
    inbox,
    database: target,
    databaseArguments: ['--database', typeof target === 'string' ? target : target.folder],
    stop,
    async close() {
      await stop()
      await drop()
    },
  }

  function stop(): Promise<void> {
    stopping ??= shut()
    return stopping
  }

  async function shut(): Promise<void> {
    server.close()
    server.closeAllConnections()
    await receiver.stop()
    await inbox.stop()
  }
}
