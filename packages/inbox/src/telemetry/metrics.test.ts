import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createReceiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, useDatabase } from '../../../../test/support/databases.ts'
import { startPostgres } from '../../../../test/support/postgres.ts'
import { registerTelemetry } from '../../../../test/support/register-telemetry.ts'
import { createInbox, type Inbox } from '../index.ts'
import { metricsHandler } from './metrics.ts'
import { untilIdle } from '../testing.ts'

const secret = 'feed_whsec_metricstest0123456789abcdef'

/** Delivers a new event, a duplicate, an invalid event and a forged one. */
async function deliverTo(inbox: Inbox): Promise<void> {
  const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
  const delivery = signDelivery(makeEvent(), { secret })
  await receiver.receive(delivery)
  await receiver.receive(delivery)
  await receiver.receive(signDelivery({ no: 'event' }, { secret }))
  await receiver.receive(signDelivery(makeEvent(), { secret: `${secret}_other` }))
}

type Handler = ReturnType<typeof metricsHandler>

async function scrape(handler: Handler, headers: Record<string, string> = {}): Promise<string> {
  const response = await handler(new Request('http://app/metrics', { headers }))
  expect(response.status).toBe(200)
  return await response.text()
}

/** The series of a scrape by name and labels, without the buckets of histograms. */
function seriesOf(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const series = lines.map((line) => {
    const [, name, value] = /^([a-z_]+(?:\{(?:[a-z_]+="[^"\\]*",?)+\})?) (\S+)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`no line of metrics: ${line}`)
    return [name, Number(value)] as const
  })
  return Object.fromEntries(series.filter(([name]) => !name.includes('_bucket{')))
}

describeOnEach('the metrics route on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let number = 0

  async function startInbox(): Promise<Inbox> {
    number += 1
    const inbox = createInbox({ database: database(), source: `source_${number}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    return inbox
  }

  it('has every series after real traffic, over HTTP', async () => {
    const inbox = await startInbox()
    const { source } = inbox
    const handle = toNodeHandler(metricsHandler(inbox))
    const server = createServer((request, response) => void handle(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
    expect((await fetch(url)).status).toBe(200)

    await inbox.work({ '*': () => {} })
    await deliverTo(inbox)
    await untilIdle(inbox)
    await inbox.pause({ reason: 'to see it' })
    // Scrapes within a second share a query.
    const paused = `inbox_paused{feed_source="${source}",feed_scope="inbox"} 1`
    await expect.poll(async () => (await fetch(url)).text()).toContain(paused)
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await response.text()
    const of = (name: string, label = '') => {
      const value = seriesOf(text)[`feed_receiver_inbox_${name}{feed_source="${source}"${label}}`]
      return value ?? `${name} is missing`
    }
    const outcome = (value: string) => `,feed_outcome="${value}"`
    expect(of('up')).toBe(1)
    expect(of('deliveries_total', outcome('stored'))).toBe(1)
    expect(of('deliveries_total', outcome('duplicate'))).toBe(1)
    expect(of('deliveries_total', outcome('quarantined'))).toBe(1)
    expect(of('rejected_total', ',feed_reason="signature_mismatch"')).toBe(1)
    expect(of('handled_total', outcome('done'))).toBe(1)
    for (const name of ['stored', 'duplicate', 'quarantined', 'rejected']) {
      expect(of('answer_duration_count', outcome(name))).toBe(1)
    }
    for (const name of ['stored', 'duplicate', 'quarantined']) {
      expect(of('store_duration_count', outcome(name))).toBe(1)
    }
    expect(of('group_size_count')).toBe(2)
    expect(of('group_size_sum')).toBe(2)
    expect(of('claim_delay_count')).toBe(1)
    expect(of('handler_duration_count', outcome('done'))).toBe(1)
    expect(of('backlog', ',feed_state="waiting"')).toBe(0)
    expect(of('backlog', ',feed_state="running"')).toBe(0)
    expect(of('backlog_age')).toBe(0)
    expect(of('backlog_paused')).toBe(0)
    expect(of('paused', ',feed_scope="inbox"')).toBe(1)
    expect(of('paused', ',feed_scope="types"')).toBe(0)
    expect(of('dead')).toBe(0)
    expect(of('quarantined')).toBe(1)
    expect(of('gaps', ',feed_kind="missed"')).toBe(0)
    expect(text).toContain(
      `feed_receiver_inbox_store_duration_bucket{feed_source="${source}",feed_outcome="stored",le="0.0025"}`,
    )
  })

  it('shows each inbox separately, or several together', async () => {
    const [one, other] = [await startInbox(), await startInbox()]
    const routes = [metricsHandler(one), metricsHandler(other), metricsHandler([one, other])]
    await Promise.all(routes.map((route) => scrape(route)))
    await deliverTo(one)
    const sources = await Promise.all(
      routes.map(async (route) => {
        const text = await scrape(route)
        return [...new Set([...text.matchAll(/feed_source="(\w+)"/g)].map(([, source]) => source))]
      }),
    )
    const both = [one.source, other.source]
    expect(sources.map((found) => found.toSorted())).toEqual([[one.source], [other.source], both])
    const together = seriesOf(await scrape(metricsHandler([one, other])))
    expect(Object.keys(together).filter((name) => name.includes('_up{'))).toHaveLength(2)
  })

  it('also measures for the SDK of the app', async () => {
    const telemetry = registerTelemetry()
    onTestFinished(telemetry.unregister)
    const inbox = await startInbox()
    const route = metricsHandler(inbox)
    await scrape(route)
    await deliverTo(inbox)
    const all = await telemetry.collect()
    const names = all.map(({ descriptor }) => descriptor.name.replaceAll('.', '_'))
    const shown = [...(await scrape(route)).matchAll(/^# TYPE (\w+?)(?:_total)? /gm)]
    expect(shown.map(([, name]) => name).toSorted()).toEqual(names.toSorted())
    expect(names).toContain('feed_receiver_inbox_answer_duration')
  })

  it('reports up again once the inbox has started', async () => {
    const inbox = createInbox({ database: database(), source: 'late' })
    onTestFinished(() => inbox.stop())
    const route = metricsHandler(inbox)
    const up = 'feed_receiver_inbox_up{feed_source="late"}'
    const isDown = 'feed_receiver_inbox_problems{feed_source="late",feed_code="database_down"}'
    expect(seriesOf(await scrape(route))).toMatchObject({ [up]: 0, [isDown]: 1 })
    await inbox.start()
    await expect
      .poll(async () => seriesOf(await scrape(route)), { timeout: 10_000 })
      .toMatchObject({ [up]: 1, [isDown]: 0 })
  })
})

describe('the metrics route', () => {
  const idle = createInbox()

  it.runIf(spawnSync('promtool', ['--version']).status === 0)(
    'satisfies promtool',
    async () => {
      const server = await startPostgres()
      onTestFinished(() => server.stop())
      const inbox = createInbox({ database: server.url })
      await inbox.start()
      onTestFinished(() => inbox.stop())
      const route = metricsHandler(inbox)
      await scrape(route)
      await inbox.work({ '*': () => {} })
      await deliverTo(inbox)
      await untilIdle(inbox)
      const checking = promisify(execFile)('promtool', ['check', 'metrics'])
      checking.child.stdin?.end(await scrape(route))
      expect(await checking).toEqual({ stdout: '', stderr: '' })
    },
    60_000,
  )

  it('keeps the series of this process while the database hangs or is down', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const inbox = createInbox({ database: server.url, onError: () => {} })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const route = metricsHandler(inbox)
    await scrape(route)
    await deliverTo(inbox)
    server.freeze()
    const isDown = {
      'feed_receiver_inbox_up{feed_source="feed"}': 0,
      'feed_receiver_inbox_deliveries_total{feed_source="feed",feed_outcome="stored"}': 1,
    }
    await expect
      .poll(async () => seriesOf(await scrape(route)), { timeout: 30_000 })
      .toMatchObject(isDown)
    server.thaw()
    server.kill()
    const series = seriesOf(await scrape(route))
    expect(series).toMatchObject(isDown)
    expect(Object.keys(series).filter((name) => name.includes('_backlog'))).toEqual([])
  }, 60_000)

  it('requires its token', async () => {
    const route = metricsHandler(idle, { token: 'letmein' })
    for (const authorization of [undefined, 'letmein', 'Bearer', 'Bearer letme', 'Basic letmein']) {
      const headers = authorization === undefined ? {} : { authorization }
      const response = await route(new Request('http://app/metrics', { headers }))
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain('feed_receiver')
    }
    expect(await scrape(route, { authorization: 'bearer letmein' })).toContain('inbox_up')
    for (const token of ['', undefined]) {
      expect(() => metricsHandler(idle, { token })).toThrow('token: it is empty or not set')
    }
  })

  it.each(['@opentelemetry/sdk-metrics', '@opentelemetry/exporter-prometheus'])(
    'says what to install if %s is missing',
    async (name) => {
      const hooks = `export const resolve = (specifier, context, next) => {
        if (specifier !== '${name}') return next(specifier, context)
        throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
      }`
      const program = `
        import { register } from 'node:module'
        register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})
        const { metricsHandler } = await import('@feed-receiver/inbox/metrics')
        const route = metricsHandler({ source: 'feed', health: async () => ({}) })
        await route(new Request('http://app/metrics')).catch(({ message }) => console.log(message))`
      const options = ['--import', 'tsx', '--conditions=@feed-receiver/source']
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [...options, '--input-type=module', '-e', program],
        { cwd: new URL('.', import.meta.url) },
      )
      const text = `metricsHandler needs ${name}, which is not installed. Run \`npm install @open`
      expect(stdout).toContain(text)
      expect(stderr).toContain(`FeedInboxWarning: InboxError: ${text}`)
    },
    20_000,
  )

  it('answers other methods with 405', async () => {
    const response = await metricsHandler(idle)(new Request('http://app/', { method: 'POST' }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
