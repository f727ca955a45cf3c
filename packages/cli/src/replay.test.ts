import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { fixtures } from '@feed-receiver/sender'
import { deliver, recordDeliveries } from '@feed-receiver/sender/testing'
import { describe, expect, it } from 'vitest'
import { filledKinds } from '../../../test/support/databases.ts'
import { until } from '../../../test/support/until.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { serve } from '../../sender/test/serve.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'

const secret = 'feed_whsec_replaytest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }
const ids = fixtures.map(({ id }) => id)

/** Writes a file with one fixture per line. */
async function writeLines(folder: string): Promise<string> {
  const path = join(folder, 'events.jsonl')
  await writeFile(path, fixtures.map((event) => `${JSON.stringify(event)}\n`).join('\n'))
  return path
}

function linesOf(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe.each(filledKinds)('replay, to an app on %s', (kind) => {
  it('delivers each event of a folder and of a .jsonl file, and reports duplicates', async () => {
    const app = await startApp({ kind, secret })
    const folder = await makeFolder()
    const path = await writeLines(folder)
    const to = ['--to', app.url]
    const first = await runMain(['replay', path, ...to, '--concurrency', '4'], { env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(
      `${ids.length} of ${ids.length} delivered, ${ids.length} attempts`,
    )
    expect(await app.inbox.entries.count()).toMatchObject({ count: ids.length })

    const again = await runMain(['replay', folder, ...to, '--json'], { env })
    expect(linesOf(again.stdout).at(-1)).toMatchObject({
      kind: 'summary',
      delivered: ids.length,
      duplicates: ids.length,
    })
  })
})

describe('replay', () => {
  it('sends bytes unchanged, files by name and lines in order', async () => {
    const folder = await makeFolder()
    const pretty = `${JSON.stringify(fixtures[0], null, 2)}\r\n`
    const broken = Buffer.from([0xff, 0x7b])
    const captured = {
      bodyBase64: broken.toString('base64'),
      headers: { 'Feed-Event-Id': 'evt_x' },
    }
    await mkdir(join(folder, 'in'))
    await writeFile(join(folder, 'in/2.json'), pretty)
    await writeFile(join(folder, 'in/1.jsonl'), `{"id":"a"}\r\n\n{"id": "b"}`)
    await writeFile(join(folder, 'in/notes.txt'), 'not a delivery')
    await writeFile(join(folder, 'last.json'), JSON.stringify(captured))
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    const run = await runMain(['replay', 'in', 'last.json', '--to', url], { env, cwd: folder })
    expect(run).toMatchObject({ code: 0 })
    const bodies = arrivals.map(({ body }) => body.toString('latin1'))
    const expected = ['{"id":"a"}', '{"id": "b"}', pretty, broken.toString('latin1')]
    expect(bodies).toEqual(expected.map((text) => Buffer.from(text, 'latin1').toString('latin1')))
    expect(arrivals.at(-1)?.headers['feed-event-id']).toBe('evt_x')
  })

  it('replays recorded deliveries with the exact bytes', async () => {
    const folder = await makeFolder()
    const recording = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const bytes = Buffer.from(`${JSON.stringify(fixtures[0], null, 2)}\r\n`)
    await deliver(bytes, { secret }).to(recordDeliveries(recording, { folder }))
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    expect(await runMain(['replay', folder, '--to', url], { env })).toMatchObject({ code: 0 })
    expect(arrivals.map(({ body }) => body)).toEqual([bytes])
    expect(arrivals[0]?.headers['feed-event-id']).toBe(ids[0])

    const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.body'))
    await writeFile(join(folder, name), '{}')
    const spoilt = await runMain(['replay', folder, '--to', url], { env })
    expect(spoilt).toMatchObject({ code: 1, stderr: expect.stringMatching(/has changed since/) })
    await rm(join(folder, name))
    const alone = await runMain(['replay', folder, '--to', url], { env })
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be read/) })
    expect(arrivals).toHaveLength(1)
  })

  it('skips the waiting time of retries with --virtual-time', async () => {
    const folder = await makeFolder()
    const lines = ['1', '2', '3', '4', '5'].map((id) => JSON.stringify({ id }))
    await writeFile(join(folder, 'five.jsonl'), lines.join('\n'))
    const attempts = new Map<string, number>()
    const { url } = await serve((response, _, { headers }) => {
      const id = String(headers['feed-event-id'])
      const attempt = (attempts.get(id) ?? 0) + 1
      attempts.set(id, attempt)
      response.writeHead(attempt < 8 ? 503 : 202).end()
    })
    const options = ['--to', url, '--virtual-time', '--concurrency', '3', '--json']
    const run = await runMain(['replay', folder, ...options], { env })
    expect(run).toMatchObject({ code: 0 })
    const records = linesOf(run.stdout)
    expect(records.at(-1)).toMatchObject({ delivered: 5, attempts: 40 })
    const ofOne = records.filter(({ eventId }) => eventId === '4')
    expect(ofOne.at(-1).at - ofOne.at(0).at).toBe(3_810_000)
  })

  it('shuffles in the same order for the same seed, and in another for another', async () => {
    const path = await writeLines(await makeFolder())
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    for (const seed of ['7', '7', '8']) {
      const run = await runMain(['replay', path, '--to', url, '--shuffle', '--seed', seed], { env })
      expect(run).toMatchObject({ code: 0, stderr: `Shuffled with --seed ${seed}\n` })
    }
    const orders = [0, 1, 2].map((run) =>
      arrivals
        .slice(run * ids.length, (run + 1) * ids.length)
        .map(({ headers }) => headers['feed-event-id']),
    )
    expect(orders[0]).toEqual(orders[1])
    expect(orders[0]).not.toEqual(orders[2])
    expect(orders[0]?.toSorted()).toEqual(ids.toSorted())
    expect(orders[0]).not.toEqual(ids)
  })

  it('keeps as many deliveries in flight as --concurrency allows', async () => {
    const path = await writeLines(await makeFolder())
    const open: ServerResponse[] = []
    const { url, arrivals } = await serve((response) => open.push(response))
    const running = runMain(['replay', path, '--to', url, '--concurrency', '3'], { env })
    while (arrivals.length < ids.length || open.length > 0) {
      const expected = Math.min(3, ids.length - arrivals.length + open.length)
      await until('all places taken', () => open.length === expected)
      open.shift()?.writeHead(202).end()
    }
    expect(await running).toMatchObject({ code: 0 })
  })

  it('stops at a status that pauses the destination, unless --keep-going is set', async () => {
    const path = await writeLines(await makeFolder())
    const { url, arrivals } = await serve((response, number) => {
      response.writeHead(number === 2 ? 401 : 202).end()
    })
    const run = await runMain(['replay', path, '--to', url], { env })
    expect(run).toMatchObject({ code: 1 })
    expect(run.stdout).toContain(`1 of ${ids.length} delivered`)
    expect(run.stdout).toContain(`${ids.length - 2} not sent`)
    expect(run.stderr).toContain('Something in front of the receiver did not let')
    expect(arrivals).toHaveLength(2)

    const { url: other, arrivals: others } = await serve((response) =>
      response.writeHead(404).end(),
    )
    const on = await runMain(['replay', path, '--to', other, '--keep-going'], { env })
    expect(on).toMatchObject({ code: 1 })
    expect(others).toHaveLength(ids.length)
  })

  it('starts no more deliveries per second than --rate allows', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'four.jsonl'), '{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n{"id":"4"}\n')
    const times: number[] = []
    const { url } = await serve((response) => {
      times.push(performance.now())
      response.writeHead(202).end()
    })
    const options = ['--to', url, '--rate', '10/s', '--concurrency', '4']
    expect(await runMain(['replay', folder, ...options], { env })).toMatchObject({ code: 0 })
    // A slow machine only makes it longer.
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(200)
  })

  it('prints a summary when it is interrupted', async () => {
    const path = await writeLines(await makeFolder())
    const { promise, resolve } = withResolvers()
    // The second one is never answered.
    const { url } = await serve((response, number) => {
      if (number === 1) response.writeHead(202).end()
      else resolve()
    })
    const options = { env, interruptedWhen: promise }
    const run = await runMain(['replay', path, '--to', url], options)
    expect(run).toMatchObject({ code: 130 })
    const rest = ids.length - 2
    expect(run.stdout).toContain(`1 of ${ids.length} delivered, 1 interrupted, ${rest} not sent`)
  })

  it.each([
    [
      'a line that is not a delivery',
      '{"id":"1"}\nnonsense\n',
      [],
      1,
      /x\.jsonl:2 is not a delivery/,
    ],
    ['headers without a body', '{"headers":{"Feed-Event-Id":"a"}}', [], 1, /but no body/],
    ['an empty file', '', [], 1, /contain no delivery/],
    ['a seed without --shuffle', '{"id":"1"}', ['--seed', '1'], 2, /--seed needs --shuffle/],
    ['a rate of zero', '{"id":"1"}', ['--rate', '0/s'], 2, /--rate must be a rate/],
    [
      'too high a concurrency',
      '{"id":"1"}',
      ['--concurrency', '1000'],
      2,
      /must be a whole number from 1 to 256/,
    ],
  ])('sends nothing and reports %s in one line', async (_, text, options, code, message) => {
    const path = join(await makeFolder(), 'x.jsonl')
    await writeFile(path, text)
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    const run = await runMain(['replay', path, '--to', url, ...options], { env })
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
    expect(arrivals).toEqual([])
  })
})

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((onResolve) => (resolve = onResolve))
  return { promise, resolve: () => resolve() }
}
