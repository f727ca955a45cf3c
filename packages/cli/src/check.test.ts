import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventStore } from '../../../test/wrong-receivers/event-store.ts'
import { makeReceiver } from '../../../test/wrong-receivers/make-receiver.ts'
import { wrongReceivers } from '../../../test/wrong-receivers/wrong-receivers.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'
import type { CheckReport } from './check/run-checks.ts'

const secret = 'feed_whsec_checktest0123456789abcdef'
const second = 'feed_whsec_checktest9876543210fedcba'
const env = { FEED_SIGNING_SECRET: secret, NEXT_SECRET: second }

describe('check', { timeout: 60_000 }, () => {
  it('finds nothing wrong with our own receiver, whatever it is asked to look into', async () => {
    const app = await startApp({ kind: 'postgres', secret, secrets: [secret, second] })
    const enabling = [...app.databaseArguments, '--second-secret-env', 'NEXT_SECRET']
    const args = ['check', app.url, ...enabling, '--restart-command', 'true']
    const { code, stdout } = await runCli([...args, '--json'], { env })
    const { score, results } = JSON.parse(stdout) as CheckReport
    const bad = results.filter(({ outcome }) => outcome !== 'passed')
    expect(bad).toEqual([])
    expect(score).toMatchObject({ percent: 100, failed: 0, notRun: 0 })
    expect(code).toBe(0)
  })

  it('counts in tables of its own where it is told how', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const sql = 'select count(*) from feed_inbox.entry where event_id = $1'
    const counting = [...app.databaseArguments, '--count-sql', sql]
    const { code, stdout } = await runMain(['check', app.url, ...counting], { env })
    expect(stdout).toContain('ok       stored_once')
    expect(stdout).toContain('not run  restart ')
    expect(stdout).toContain('Score: 100 of 100')
    expect(code).toBe(0)
  })

  it('names what is wrong with another, why, and how to mend it', async () => {
    const { change } = wrongReceivers['rewritten-json']
    const options = { secrets: [secret], store: eventStore() }
    const server = makeReceiver(options, change).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const args = ['check', `http://127.0.0.1:${port}/webhooks/feed`, '--restart-command', 'false']
    const { code, stdout } = await runMain(args, { env })
    expect(stdout).toContain('FAILED   raw_whitespace')
    expect(stdout).toMatch(/why +\S/)
    expect(stdout).toMatch(/fix +\S/)
    expect(stdout).toContain('the command ended with 1')
    expect(code).toBe(1)
  })

  it.each([
    ['no URL', ['check', 'localhost'], 'is no http or https URL'],
    ['a target elsewhere', ['check', 'https://feed.example/feed'], 'add --yes'],
    ['no such variable', ['check', 'http://localhost/', '--second-secret-env', 'NONE'], 'NONE'],
    [
      'a count without a database',
      ['check', 'http://localhost/', '--count-sql', 'x'],
      '--database',
    ],
  ])('refuses %s', async (_, args, says) => {
    const { code, stderr } = await runMain(args, { env: { FEED_SIGNING_SECRET: secret } })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBeGreaterThan(0)
  })
})
