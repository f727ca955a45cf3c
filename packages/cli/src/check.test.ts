import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/contract/listen.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'
import type { CheckReport } from './check/run-checks.ts'

const secret = 'feed_whsec_checktest0123456789abcdef'
const second = 'feed_whsec_checktest9876543210fedcba'
const env = { FEED_SIGNING_SECRET: secret, NEXT_SECRET: second }

/** An Express app with these handlers on its route, for the time of one test. */
async function serveExpress(...handlers: RequestHandler[]): Promise<string> {
  const app = express().set('env', 'test')
  const { port, close } = await listen(app.post('/feed', ...handlers))
  onTestFinished(close)
  return `http://127.0.0.1:${port}/feed`
}

describe('check', { timeout: 60_000 }, () => {
  it('passes all checks for a receiver of this kit, with every optional check enabled', async () => {
    const app = await startApp({ kind: 'postgres', secret, secrets: [secret, second] })
    const badge = join(await makeFolder(), 'badge.json')
    await writeFile(badge, 'that of an earlier run')
    const enabling = [...app.databaseArguments, '--second-secret-env', 'NEXT_SECRET']
    const args = ['check', app.url, ...enabling, '--restart-command', 'true']
    const run = await runMain([...args, '--badge', badge, '--force', '--json'], { env })
    const { score, strength, results } = JSON.parse(run.stdout) as CheckReport
    const bad = results.filter(({ outcome }) => outcome !== 'passed')
    expect(bad).toEqual([])
    expect(score).toMatchObject({ percent: 100, failed: 0, notRun: 0 })
    expect(strength).toMatchObject({ percent: 100, missed: [] })
    expect(JSON.parse(await readFile(badge, 'utf8'))).toEqual({
      schemaVersion: 1,
      label: 'feed-receiver check',
      message: `${results.length} of ${results.length}, strength 100 %`,
      color: 'brightgreen',
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(await app.inbox.health()).toMatchObject({
      ok: true,
      warnings: [],
      quarantined: { count: 0 },
    })
    expect(await app.inbox.quarantined.list()).toMatchObject({ quarantined: [] })
  })

  it('writes reports without secrets', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(toExpress(receiver))
    const folder = await makeFolder()
    const file = (name: string) => join(folder, 'reports', name)
    const files = ['--junit', file('a.xml'), '--sarif', file('a.sarif'), '--badge', file('a.json')]
    const telling = ['--count-command', `echo 'the key is ${secret}' >&2; exit 1`]
    const first = await runMain(['check', url, ...files, ...telling], { env })
    expect(first.code).toBe(1)
    expect(first.stdout).toContain(`${file('a.xml')} is written.`)
    const read = (name: string) => readFile(file(name), 'utf8')
    const written = await Promise.all(['a.xml', 'a.sarif', 'a.json'].map(read))
    for (const text of written) expect(text).not.toContain(secret)
    const [junit = '', sarif = '', badge = ''] = written
    expect(junit).toContain('the command exited with 1: the key is [hidden]')
    expect(sarif).toContain('the command exited with 1: the key is [hidden]')
    expect(JSON.parse(badge)).toMatchObject({ color: 'red', isError: true })
  })

  it('rejects output files before it sends anything', async () => {
    let requests = 0
    const url = await serveExpress((_, response) => {
      requests += 1
      response.sendStatus(202)
    })
    const folder = await makeFolder()
    const file = join(folder, 'there.xml')
    await writeFile(file, 'mine')
    for (const [args, says] of [
      [['--junit', file], `${file} already exists`],
      [['--sarif', folder, '--force'], `${folder} is a folder`],
      [['--sarif', join(folder, 'a'), '--badge', join(folder, 'a')], 'is given twice'],
      [['--force'], '--force is for --junit, --sarif, --badge <file>'],
      [['--count-command', 'x', '--count-sql', 'x'], '--count-command excludes'],
    ] as const) {
      const { code, stderr } = await runMain(['check', url, ...args], { env })
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    }
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(requests).toBe(0)
  })

  it('reports a closed port once', async () => {
    const { code, stdout } = await runMain(['check', 'http://127.0.0.1:9/feed'], { env })
    expect(stdout.match(/ECONNREFUSED/g)).toHaveLength(1)
    expect(stdout.match(/Fix the failed check reachable first/g)).toHaveLength(1)
    expect(stdout).toMatch(/Not reached: \d+ checks\. /)
    expect(stdout.split('\n').length).toBeLessThan(20)
    expect(code).toBe(1)
  })

  it('names a parser that reads the body before the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(express.json(), toExpress(receiver))
    const { code, stdout } = await runMain(['check', url], { env })
    expect(stdout).toContain('seen  503 Service Unavailable (body_already_read)')
    expect(stdout).toMatch(/who +The receiver answered\. A body parser or middleware read the body/)
    expect(stdout).toMatch(/see +docs\/frameworks\/README\.md/)
    expect(code).toBe(1)
  })

  it.each([
    ['an invalid URL', ['check', 'localhost'], 'is not an http or https URL'],
    ['a remote target without --yes', ['check', 'https://feed.example/feed'], 'add --yes'],
    ['an unset variable', ['check', 'http://localhost/', '--second-secret-env', 'NONE'], 'NONE'],
    [
      'a count without a database',
      ['check', 'http://localhost/', '--count-sql', 'x'],
      '--database',
    ],
  ])('rejects %s', async (_, args, says) => {
    const { code, stderr } = await runMain(args, { env: { FEED_SIGNING_SECRET: secret } })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBeGreaterThan(0)
  })
})
