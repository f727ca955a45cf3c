/** Usage, on Bun: elysia-process.ts <folder of the program>. Answers calls from remote.ts. */
import { createReceiver, type Receiver, type ReceiverOptions } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import type { Holdings } from '../../contract/session.ts'
import { answerCalls } from '../../support/answer-calls.ts'

interface App {
  server: { port: number; stop(closesConnections: boolean): Promise<void> } | null
}

export type ElysiaMethods = typeof methods

const [folder = ''] = process.argv.slice(2)
const starts: Record<string, (receiver: Receiver, port: number) => App> = {
  ...(await import(`${folder}/app.ts`)),
  ...(await import(`${folder}/traps.ts`)),
}
const secrets = [process.env.FEED_SIGNING_SECRET ?? '']
const inbox = memoryInbox()
const running = new Map<number, { app: App; receiver: Receiver }>()

const methods = {
  async serve(name: string, limits: Partial<ReceiverOptions>): Promise<number> {
    const receiver = createReceiver({ secrets, inbox, observe: () => {}, ...limits })
    const app = starts[name]?.(receiver, 0)
    if (!app?.server) throw new Error(`${folder} has no ${name} that listens.`)
    running.set(app.server.port, { app, receiver })
    return app.server.port
  },
  async stopReceiver(port: number): Promise<void> {
    await running.get(port)?.receiver.stop()
  },
  async close(port: number): Promise<void> {
    await running.get(port)?.app.server?.stop(true)
    running.delete(port)
  },
  async holds(): Promise<Holdings> {
    const quarantined = inbox.quarantined.map(({ reason }) => reason)
    return { stored: inbox.entries.size, quarantined }
  },
}

answerCalls(methods)
