import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { expect, onTestFinished } from 'vitest'
import { startSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { startProxy } from '../faults/proxy.ts'
import { startProgram, type RunningProgram } from '../../support/start-program.ts'
import { createTarget } from '../../support/databases.ts'
import { until } from '../../support/until.ts'

const program = new URL('recovery-app.ts', import.meta.url)
const secret = 'feed_whsec_recovery_0123456789abcdef'
const start = Date.parse('2026-12-01T00:00:00Z')
const minute = 60_000
const withinMs = 30_000

/** The steps at which the app can be killed. */
export type Step =
  | 'fetched'
  | 'stored'
  | 'committed'
  | 'received'
  | 'accepted'
  | 'handling'
  | 'handled'

/**
 * A sandbox with 40 days of history, an app that can be killed and keeps its address, and one
 * virtual time for both.
 */
export async function openWorld() {
  const [ofSandbox, ofApp] = [
    await createTarget('postgres'),
    await createTarget('postgres', 'inbox'),
  ]
  const { sandbox, key } = await startSandbox({
    database: ofSandbox.target,
    historyDays: 40,
    historyEndsAt: new Date(start),
    firstCursor: 'replay',
  })
  const { control } = sandbox
  Object.assign(process.env, { FEED_SIGNING_SECRET: secret, FEED_API_KEY: key })
  if (typeof ofApp.target !== 'string') throw new Error('It is a URL.')
  const url = ofApp.target
  const database = openDatabase(url)
  await database.query('create table effect (event_id text)')
  await database.query('create table alert (code text)')
  // For inspection. It handles nothing.
  const inbox = createInbox({ database })
  await inbox.start()

  let time = start
  await control.moveClock({ to: 'freeze', at: new Date(time).toISOString() })
  let app: { child: RunningProgram; port: number } | undefined
  let isPushUp = true
  const proxy = await startProxy(() => (isPushUp && app ? [app.port] : []))

  onTestFinished(async () => {
    await endApp()
    await proxy.close()
    await sandbox.stop()
    await inbox.stop()
    await database.close()
    await Promise.all([ofSandbox.drop(), ofApp.drop()])
  })

  return {
    control,
    inbox,
    database,
    webhookUrl: `http://127.0.0.1:${proxy.port}/webhooks/feed`,
    secret,
    startApp,
    endApp,
    died,
    publish,
    pass,
    setPush(isUp: boolean) {
      isPushUp = isUp
    },
    now: () => new Date(time),
  }

  /** Starts the app in place of a running one, with the step at which it dies. */
  async function startApp(diesAt: Step | 'never' = 'never', atTime = 1): Promise<void> {
    await endApp()
    const args = [url, sandbox.url, String(time), diesAt, String(atTime)]
    const child = startProgram(program, args)
    app = { child, port: 0 }
    // An app that dies may do so before it listens.
    const line = await child.nextLine().catch((error: unknown) => {
      if (diesAt === 'never') throw error
    })
    app.port = Number(line ?? 0)
  }

  async function endApp(): Promise<void> {
    app?.child.kill('SIGKILL')
    if (app) await died()
  }

  /** Waits until the app has been killed. */
  async function died(): Promise<void> {
    let how: number | string | undefined
    void app?.child.ended.then((end) => (how = end))
    expect(await until('the end of the app', () => how, { withinMs })).toBe('SIGKILL')
    app = undefined
    // The queue uses real time: after half a minute without a heartbeat, its jobs are free again.
    await database.query(
      `update feed_inbox.job set heartbeat_on = heartbeat_on - interval '1 minute'
       where state = 'active'`,
    )
  }

  async function publish(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) await control.composeEvent()
  }

  /**
   * Advances the time, first of the service and then of the app, so that nothing due is skipped.
   */
  async function pass(ms: number): Promise<void> {
    const end = time + ms
    await untilIdle()
    while (time < end) {
      const due = (await pending()).map(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? end)
      time = Math.min(end, time + 10 * minute, ...due)
      await control.moveClock({ to: 'freeze', at: new Date(time).toISOString() })
      await untilIdle()
      await moveApp()
    }
  }

  async function moveApp(): Promise<void> {
    app?.child.send(String(time))
    // It may be killed meanwhile.
    await app?.child.nextLine().catch(() => '')
  }

  async function untilIdle(): Promise<void> {
    const isInFlight = ({ state, nextAttemptAt }: Pending) =>
      state === 'in_flight' || (nextAttemptAt?.getTime() ?? 0) <= time
    const isWaiting = async () => !(await pending()).some(isInFlight)
    await until('the end of current deliveries', isWaiting, { withinMs })
  }

  async function pending() {
    const states = ['scheduled', 'in_flight'] as const
    const lists = states.map((state) => control.listDeliveries({ state, limit: 1_000 }))
    return (await Promise.all(lists)).flat()
  }
}

interface Pending {
  state: string
  nextAttemptAt: Date | null
}
