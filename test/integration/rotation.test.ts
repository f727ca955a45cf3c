import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox } from '@feed-receiver/sandbox'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startProgram } from '../support/start-program.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

const dayMs = 86_400_000
const program = new URL('../../examples/express-app/app.ts', import.meta.url)

describe('a rotation by the steps of the guide', { timeout: 300_000 }, () => {
  it('accepts every delivery before, during and after it', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks/feed`
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    const sandbox = await openSandbox()
    onTestFinished(database.drop)
    const old = 'feed_whsec_before_the_rotation_0123456789'
    let app = await startApp({ FEED_SIGNING_SECRET: old })
    const { destination } = await sandbox.control.forwardTo({ url, secret: old })
    await deliver('evt_before')

    const { secret } = await sandbox.control.rotateSecret({ id: destination.id })
    app = await restartApp({ FEED_SIGNING_SECRET: old, FEED_SIGNING_SECRET_NEXT: secret })
    await deliver('evt_within_24_hours')
    await sandbox.control.moveClock({ to: 'advance', byMs: dayMs })
    await deliver('evt_after_24_hours')

    app = await restartApp({ FEED_SIGNING_SECRET: secret })
    await deliver('evt_after_the_old_one_went')
    expect(await sandbox.control.listDestinations()).toMatchObject([{ state: 'active' }])

    /** Publishes an event, and waits until its delivery is accepted. */
    async function deliver(id: string): Promise<void> {
      await sandbox.control.composeEvent({ eventType: 'release_note', id })
      const delivery = async () => (await sandbox.control.listDeliveries({ eventId: id }))[0]
      await expect.poll(delivery, { timeout: 60_000 }).toMatchObject({ state: 'delivered' })
    }

    async function startApp(secrets: Record<string, string>) {
      delete process.env['FEED_SIGNING_SECRET_NEXT']
      Object.assign(process.env, secrets, { PORT: String(port), DATABASE_URL: database.url })
      const child = startProgram(program)
      onTestFinished(async () => {
        child.kill('SIGKILL')
        await child.ended
      })
      await until('the app listens', () => fetch(url).catch(() => undefined), { withinMs: 90_000 })
      return child
    }

    async function restartApp(secrets: Record<string, string>) {
      app.kill('SIGTERM')
      await app.ended
      return await startApp(secrets)
    }
  })
})

describe('every example and template', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const into = 'packages/create-feed-receiver/into'
  const listed = ['grep', '-l', 'createReceiver(', '--', 'examples', 'templates', into]
  const paths = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).trim().split('\n')

  it.each(paths)('accepts a list of secrets, not only a single one: %s', (path) => {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text).not.toMatch(/secrets: (?:\(\) => )?\[(?:process\.env|FEED_SIGNING)/)
  })
})

describe('the control page of the sandbox', () => {
  it('advises to add the new secret to the old one, not to replace it', () => {
    const page = new URL('../../packages/sandbox/page/src/destinations.tsx', import.meta.url)
    const [, advice = ''] =
      /const forTheNext =([^]+?)\n\n/.exec(`${readFileSync(page, 'utf8')}\n\n`) ?? []
    expect(advice).toContain('Do not change FEED_SIGNING_SECRET.')
    expect(advice).toContain('Set FEED_SIGNING_SECRET_NEXT to this secret and restart')
  })
})

async function openSandbox() {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const sandbox = createSandbox({ database: url, port: 0, historyDays: 0 })
  await sandbox.start()
  onTestFinished(async () => {
    await sandbox.stop()
    await drop()
  })
  return sandbox
}
