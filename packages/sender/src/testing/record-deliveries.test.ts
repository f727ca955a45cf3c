import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toNext } from '@feed-receiver/next'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../test/serve.ts'
import { deliver, fixture, readDeliveries, recordDeliveries, testSecret } from './index.ts'

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'new')
}

const makeReceiver = (secret = testSecret) =>
  createReceiver({ secrets: [secret], inbox: memoryInbox() })

// Bytes that no JSON serializer produces.
const bytes = Buffer.from(
  JSON.stringify(fixture('outage_started'), null, 2).replaceAll('\n', '\r\n') + ' \u2028\n',
).subarray(0, -4)

test.each([
  [
    'Express',
    (receiver: ReturnType<typeof makeReceiver>) =>
      express().post('/webhooks/feed', toExpress(receiver)),
  ],
  ['Next', toNext],
])('what comes by way of %s is written byte for byte, and replayed', async (_name, mount) => {
  const folder = await makeFolder()
  const recording = recordDeliveries(makeReceiver(), { folder })
  const first = await deliver(bytes).to(mount(recording)).times(2)
  expect(first.answers.map(({ status }) => status)).toEqual([202, 200])

  const recorded = await readDeliveries(folder)
  expect(recorded).toHaveLength(1)
  expect(recorded[0]?.id).toBe(fixture('outage_started').id)
  expect(Buffer.from(recorded[0]?.body ?? []).equals(bytes)).toBe(true)

  // Much later and with another secret, because a replay is signed afresh.
  const secret = 'feed_whsec_b3RoZXI'
  const again = await deliver(recorded, { secret }).to(makeReceiver(secret))
  expect(again.answers.map(({ status }) => status)).toEqual([202])
})

test('writes no secret and no signature', async () => {
  const folder = await makeFolder()
  const recording = recordDeliveries(makeReceiver(), { folder })
  const handler = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', 'Bearer private')
    headers.set('cookie', 'session=private')
    return toNext(recording)(new Request(request, { headers }))
  }
  await deliver(fixture('cli_update')).to(handler)
  const names = await readdir(folder)
  expect(names).toHaveLength(2)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  expect(texts.join('\n')).not.toMatch(/feed_whsec_|v1=|signature|private/i)
})

test('does not record rejected deliveries', async () => {
  const folder = await makeFolder()
  const recording = recordDeliveries(makeReceiver(), { folder })
  await deliver(fixture('cli_update')).to(recording).with('wrong_secret')
  await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('rejects a recording that has changed', async () => {
  const folder = await makeFolder()
  await deliver(bytes).to(recordDeliveries(makeReceiver(), { folder }))
  const name = (await readdir(folder)).find((each) => each.endsWith('.body')) ?? ''
  await writeFile(join(folder, name), bytes.toString().replaceAll('\r\n', '\n'))
  await expect(readDeliveries(folder)).rejects.toMatchObject({ code: 'invalid_event' })
})

test('replays without the headers that the delivery did not have', async () => {
  const folder = await makeFolder()
  const recording = recordDeliveries(makeReceiver(), { folder })
  const { id } = fixture('cli_update')
  const handler = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.delete('feed-event-id')
    return toNext(recording)(new Request(request, { headers }))
  }
  await deliver(fixture('cli_update')).to(handler)
  const recorded = await readDeliveries(folder)
  expect(recorded.map((delivery) => delivery.id)).toEqual([id])
  const { url, arrivals } = await serve((response) => response.writeHead(200).end())
  await deliver(recorded).to(url)
  expect(arrivals[0]?.headers).not.toHaveProperty('feed-event-id')
  expect(arrivals[0]?.headers['idempotency-key']).toBe(`feed-event-${id}`)
})

test('warns if it cannot write, and does not change the answer', async () => {
  const folder = join(await makeFolder(), 'below-a-file')
  const warned = once(process, 'warning')
  await mkdir(dirname(dirname(folder)), { recursive: true })
  await writeFile(dirname(folder), '')
  const { answers } = await deliver(bytes).to(recordDeliveries(makeReceiver(), { folder }))
  expect(answers.map(({ status }) => status)).toEqual([202])
  expect(String(await warned)).toContain('could not be recorded')
})
