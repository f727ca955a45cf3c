import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSender, fixture } from '@feed-receiver/sender'
import { Client } from 'pg'
import { describe, inject, it } from 'vitest'
import { createTestDatabase } from '../support/postgres.ts'
import { startCommand } from '../support/start-program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const secret = 'feed_whsec_of_a_slow_start_0123456789'

// Next compiles these files itself, so no build of them is available to run.
const fromSource = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']
const program = fileURLToPath(new URL('next-server.ts', import.meta.url))

/** The files of an app after `--into`, which has no instrumentation. */
async function makeWithRoute(extension: string): Promise<{ folder: string; route: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-next-route-'))
  const into = join(root, 'packages/create-feed-receiver/templates/into')
  const route = `app/webhooks/feed/route.${extension}`
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await cp(join(into, 'next', route), join(folder, route))
  await cp(
    join(into, `next/feed-receiver.${extension}`),
    join(folder, `feed-receiver.${extension}`),
  )
  await cp(join(into, `feed-handlers.${extension}`), join(folder, `feed-handlers.${extension}`))
  return { folder, route: join(folder, route) }
}

describe('Next apps with a slow database start', { timeout: 90_000 }, () => {
  // In pairs, which use different global variables, because most of their CPU time is their start.
  it.concurrent.for<[name: string, path: string, extension: string]>([
    ['the template', 'packages/create-feed-receiver/templates/next', 'ts'],
    ['the example', 'examples/next-app', 'js'],
  ])('answer 503 in time, and 202 later: %s in %s, and route.%s of --into', async (of, context) => {
    const { expect, onTestFinished } = context
    const [, path, extension] = of
    const cwd = join(root, path)
    const added = await makeWithRoute(extension)
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const release = await holdStart(url)
    const files = [join(cwd, 'app/webhooks/feed/route.ts'), join(cwd, 'instrumentation.ts')]
    const server = startCommand(
      process.execPath,
      [...fromSource, program, files.join(','), added.route],
      {
        cwd,
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: url,
          FEED_SIGNING_SECRET: secret,
          NEXT_RUNTIME: 'nodejs',
        },
      },
    )
    onTestFinished(async () => {
      await server.stop('SIGKILL')
      await drop()
      await rm(added.folder, { recursive: true })
    })
    const ports = [await server.nextLine('listening'), await server.nextLine('listening')]
    await using sender = createSender({ secret })
    let deliveries = 0
    const deliver = async (line: string) => {
      const to = `http://127.0.0.1:${/\d+/.exec(line)?.[0]}/webhooks/feed`
      const event = fixture('model_release', { id: `evt_slow_${(deliveries += 1)}` })
      return (await sender.attempt(event, { to })).status
    }

    // The sender times out after 10 s, which would give no status.
    expect(await Promise.all(ports.map(deliver))).toEqual([503, 503])
    await release()
    for (const port of ports) await expect.poll(() => deliver(port), { timeout: 30_000 }).toBe(202)
  })
})

/** Blocks any setup of the inbox, like a database that is being restored. */
async function holdStart(url: string): Promise<() => Promise<void>> {
  const client = new Client(url)
  // A failed test drops the database while it waits.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query('create schema feed_inbox')
  return async () => {
    await client.query('rollback')
    await client.end()
  }
}
