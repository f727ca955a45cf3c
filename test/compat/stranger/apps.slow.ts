import { fixture, fixtures } from '@feed-receiver/sender'
import { it } from 'vitest'
import { consoleClient } from '../../support/console-client.ts'
import { checkApp, deliverTo, forProduction, statusOf } from './deliver-to.ts'
import { useStranger } from './stranger.ts'

const frameworks = ['express', 'koa', 'fastify', 'next', 'hono', 'nest']

// One long test each, because every step needs the one before.
it.concurrent.for(frameworks)('npm create makes an app on %s', async (framework, context) => {
  const { expect } = context
  const stranger = await useStranger(context, framework)
  const { run, start, fetch, read, edit } = stranger
  const create = ['create', 'feed-receiver@latest', '.', '--', '--template', framework, '--yes']
  expect(await run('npm', ...create, '--recipe', 'incidents')).toMatchObject({ code: 0 })
  expect(await read('.gitignore')).toContain('.env\n')
  expect(await run('npm', 'run', 'typecheck')).toMatchObject({ code: 0 })
  expect(await run('npm', 'test')).toMatchObject({ code: 0 })

  const dev = start('npm', 'run', 'dev:app')
  await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
  const replayed = await run('npm', 'run', 'replay')
  expect(replayed).toMatchObject({ code: 0 })
  expect(replayed.stdout.match(/│ 202 /g)).toHaveLength(fixtures.length)
  await dev.untilPrinted('New model: ')
  await dev.untilPrinted('Incident, open: ')
  const link = new URL(/(?<=^Console: )http.+$/m.exec(dev.printed)?.[0] ?? '')
  const console = consoleClient(new URL(`${link.pathname}/`.replace('//', '/'), link))
  expect((await console.get('overview')).status).toBe(401)
  await console.login(new URLSearchParams(link.hash.slice(1)).get('token') ?? '')
  expect((await console.get('overview')).status).toBe(200)
  const { id } = fixture('outage_started')
  await expect.poll(async () => (await fetch('/outages')).json()).toMatchObject([{ event_id: id }])

  const handlers = framework === 'next' ? 'feed/handlers.ts' : 'src/handlers.ts'
  await edit(handlers, (text) => text.replace('New model', 'A changed handler'))
  let deliveries = 0
  await expect
    .poll(async () => {
      deliveries += 1
      await deliverTo(stranger, 'model_release', { id: `evt_after_change_${deliveries}` })
      return dev.printed
    })
    .toContain('A changed handler: ')
  await dev.stop('SIGINT')

  await edit('.env', forProduction)
  const started = start('npm', 'start')
  await expect.poll(() => statusOf(stranger, '/health')).toBe(200)
  const again = await run('npm', 'run', 'replay')
  expect(again.stdout.match(/│ 200 .*duplicate/g)).toHaveLength(fixtures.length)
  const { results, score } = await checkApp(stranger)
  expect(results.filter(({ outcome }) => outcome === 'failed' || outcome === 'warning')).toEqual([])
  expect(score.percent).toBe(100)
  await started.stop()
  expect(started.printed).not.toMatch(/\berror\b/i)
})
