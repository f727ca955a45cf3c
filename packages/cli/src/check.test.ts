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
import type { CheckReport } from './conformance/check/run-checks.ts'

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
    const junit = join(await makeFolder(), 'check.xml')
    await writeFile(junit, 'that of an earlier run')
    const enabling = [...app.databaseArguments, '--second-secret-env', 'NEXT_SECRET']
    const args = ['check', app.url, ...enabling, '--restart-command', 'true']
    const run = await runMain([...args, '--junit', junit, '--force', '--json'], { env })
    const { score, results } = JSON.parse(run.stdout) as CheckReport
    const bad = results.filter(({ outcome }) => outcome !== 'passed')
    expect(bad).toEqual([])
    expect(score).toMatchObject({ percent: 100, failed: 0, notRun: 0 })
    const written = await readFile(junit, 'utf8')
    expect(written).toContain(`tests="${results.length}" failures="0" errors="0" skipped="0"`)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(await app.inbox.health()).toMatchObject({
      ok: true,
      warnings: [],
      quarantined: { count: 0 },
    })
    expect(await app.inbox.quarantined.list()).toMatchObject({ quarantined: [] })
  })

  it('writes a report without secrets', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(toExpress(receiver))
    const file = join(await makeFolder(), 'reports', 'a.xml')
    const printing = ['--count-command', `echo 'the key is ${secret}' >&2; exit 1`]
    const first = await runMain(['check', url, '--junit', file, ...printing], { env })
    expect(first.code).toBe(1)
    expect(first.stdout).toContain(`${file} is written.`)
    const junit = await readFile(file, 'utf8')
    expect(junit).not.toContain(secret)
    expect(junit).toContain('the command exited with 1: the key is [hidden]')
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
      [['--junit', folder, '--force'], `${folder} is a folder`],
      [['--force'], '--force is for --junit <file>'],
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
    expect(stdout).toMatch(/see +https:\S+\/feed-receiver\/frameworks\/$/m)
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
