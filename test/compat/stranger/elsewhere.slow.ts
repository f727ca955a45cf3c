import { rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fixtures } from '@feed-receiver/sender'
import { inject, it } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { findRuntime } from '../../repo/run/runtimes.mjs'
import { createTestDatabase } from '../../support/postgres.ts'
import { startCommand } from '../../support/start-program.ts'
import { deliverTo, forProduction, statusOf } from './deliver-to.ts'
import { runDockerfile } from './run-dockerfile.ts'
import { useStranger } from './stranger.ts'

const { PATH = '' } = process.env
const node24 = dirname(findRuntime('node-24'))

it.concurrent.for(['express', 'next'])(
  'the Dockerfile of the app on %s builds an image that runs on PostgreSQL, and stops on SIGTERM',
  async (framework, context) => {
    const { expect, onTestFinished } = context
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(drop)
    const stranger = await useStranger(context, `docker-${framework}`, { DATABASE_URL: url })
    const { folder, run, read, edit, env } = stranger
    const flags = ['--template', framework, '--database', 'postgres', '--yes']
    const create = ['create', 'feed-receiver@latest', '.', '--', ...flags]
    expect(await run('npm', ...create)).toMatchObject({ code: 0 })
    expect(await read('.env')).toMatch(/^DATABASE_URL=postgres:/m)

    // One has a lockfile and the other has none, for both ways of the Dockerfile. And npm ci
    // rejects a
    // lockfile of Next if the registry lacks its builds for other platforms.
    if (framework === 'next') await rm(join(folder, 'package-lock.json'))
    const stages = await useStranger(context, `docker-${framework}-stages`)
    const image = await runDockerfile(folder, stages.folder, env)
    const [command = '', ...args] = image.command
    await edit('.env', forProduction)
    const secret = /^FEED_SIGNING_SECRET=(.+)$/m.exec(await read('.env'))?.[1] ?? ''
    const app = startCommand(command, args, {
      cwd: image.folder,
      env: { ...env, ...image.env, FEED_SIGNING_SECRET: secret },
      isGroup: true,
    })
    onTestFinished(async () => void (await app.stop('SIGKILL')))
    await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
    expect(await deliverTo(stranger, 'outage_started')).toBe(202)
    expect(await statusOf(stranger, '/console/')).toBe(404) // closed in production without a token
    await expect
      .poll(async () => (await stranger.fetch('/outages')).json())
      .toMatchObject([{ provider: fixtures[0]?.data.provider }])
    expect(await app.stop('SIGTERM')).toBe(0)
  },
)

it.concurrent('pnpm create makes an app that pnpm installs and runs', async (context) => {
  const { expect } = context
  const pnpm = join(root, 'test/support/tools/stranger/node_modules/.bin')
  const stranger = await useStranger(context, 'pnpm', { PATH: `${pnpm}${delimiter}${PATH}` })
  const { run, start } = stranger
  const made = await run('pnpm', 'create', 'feed-receiver@latest', '.', '--template', 'koa', '-y')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('  pnpm dev\n') })
  expect(await run('pnpm', 'typecheck')).toMatchObject({ code: 0 })
  expect(await run('pnpm', 'test')).toMatchObject({ code: 0 })
  start('pnpm', 'dev:app')
  await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
  expect(await run('pnpm', 'replay')).toMatchObject({ code: 0 })
})

it.concurrent('--pm yarn makes an app that Yarn 1 installs and runs', async (context) => {
  const { expect } = context
  const yarn = join(root, 'test/support/tools/stranger/node_modules/yarn/bin')
  // Yarn 1 enforces the engines of pg-boss.
  const path = [node24, yarn, PATH].join(delimiter)
  const stranger = await useStranger(context, 'yarn', { PATH: path })
  const { run, start } = stranger
  const flags = ['--template', 'koa', '--pm', 'yarn', '--yes']
  const made = await run('npm', 'create', 'feed-receiver@latest', '.', '--', ...flags)
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('  yarn dev\n') })
  expect(await stranger.read('yarn.lock')).toContain('@feed-receiver/core@')
  expect(await run('yarn', 'typecheck')).toMatchObject({ code: 0 })
  expect(await run('yarn', 'test')).toMatchObject({ code: 0 })
  start('yarn', 'dev:app')
  await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
  expect(await run('yarn', 'replay')).toMatchObject({ code: 0 })
})

it.concurrent('an app runs on Node 24', async (context) => {
  const { expect } = context
  const stranger = await useStranger(context, 'node-24', { PATH: `${node24}${delimiter}${PATH}` })
  const { run, start } = stranger
  expect(await run('node', '--version')).toMatchObject({ stdout: expect.stringMatching(/^v24\./) })
  const create = ['create', 'feed-receiver@latest', '.', '--', '--template', 'fastify', '--yes']
  expect(await run('npm', ...create)).toMatchObject({ code: 0 })
  expect(await run('npm', 'test')).toMatchObject({ code: 0 })
  start('npm', 'run', 'dev:app')
  await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
  expect(await run('npm', 'run', 'replay')).toMatchObject({ code: 0 })
})

it('a second app is created and run offline', async (context) => {
  const { expect } = context
  const create = (name: string) => ['create', 'feed-receiver@latest', name, '--', '--yes']
  const first = await useStranger(context, 'online')
  expect(await first.run('npm', ...create('.'))).toMatchObject({ code: 0 })

  const { run } = await useStranger(context, 'offline', { npm_config_offline: 'true' })
  expect(await run('npm', ...create('.'))).toMatchObject({ code: 0 })
  expect(await run('npm', 'test')).toMatchObject({ code: 0 })
})
