import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCopy } from '../../../test/support/templates.ts'
import { openApp } from '../../sandbox/test/open-app.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startCli } from '../test/start-cli.ts'
import { startInTerminal } from '../test/start-in-terminal.ts'

const secret = 'feed_whsec_that_the_app_has_already'

describe('feed-receiver trigger', () => {
  it('publishes an event in the dev of its folder, which delivers it', async () => {
    const app = await openApp()
    app.secrets = [secret]
    const { cwd, dev } = await startDev(app.url)
    await dev.line(/The feed is live\./)
    const { code, stdout, stderr } = await runCli(['trigger', 'outage_started'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toBe('')
    const [, id = '', title = ''] =
      /^Published outage_started (evt_\w+): (.+)\n$/.exec(stdout) ?? []
    await dev.line(new RegExp(`→ 202 in \\d+ ms +outage_started +${title.slice(0, 10)}`))
    expect(app.inbox.entries.has(id)).toBe(true)

    const named = ['trigger', 'model_release', '--title', 'A new model', '--provider', 'halcyon-ai']
    const json = await runCli([...named, '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toEqual({
      eventId: expect.stringMatching(/^evt_/),
      eventType: 'model_release',
      title: 'A new model',
    })
    await dev.line(/→ 202 in \d+ ms +model_release +A new model/)
  }, 60_000)

  it('publishes in a sandbox, and says that no app receives it', async () => {
    const { cwd, feed } = await makeFolder()
    const sandbox = startCli(['sandbox', '--port', '0', '--database', feed], { cwd })
    await sandbox.line(/Control page/)
    const { code, stdout, stderr } = await runCli(['trigger', 'outage_started'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Published outage_started /)
    expect(stderr).toContain('No app receives the feed yet, so the event is not delivered.')
  }, 60_000)

  it('says that the destination is paused, and by which answer', async () => {
    const app = await openApp()
    const { cwd, feed } = await makeFolder()
    app.secrets = [secret]
    const args = ['sandbox', '--port', '0', '--database', feed, '--forward', app.url]
    const sandbox = startCli(args, { cwd, env: { FEED_SIGNING_SECRET: secret } })
    await sandbox.line(/The feed is live\./)
    app.answer = () => ({ status: 403 })
    await runMain(['trigger', 'outage_started'], { cwd })
    await sandbox.line(/→ 403 PAUSED/)
    await sandbox.line(/To resume, .* on the control page\./)
    const { code, stderr } = await runMain(['trigger', 'outage_started'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toBe(
      `The feed to ${app.url} is paused because it answered 403, so the event is not delivered. To resume, send a test delivery on the control page.\n`,
    )
  }, 60_000)

  it('suggests the nearest type for an unknown one', async () => {
    const { cwd } = await startDev('http://127.0.0.1:1/')
    const { code, stderr } = await runCli(['trigger', 'outage_start'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^error: "outage_start" is no event type\. Did you mean outage_started\? The types are .*model_release/,
    )
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }, 60_000)

  it('says why the feed rejects an input', async () => {
    const { cwd } = await startDev('http://127.0.0.1:1/')
    const args = ['trigger', 'model_release', '--provider', 'No!']
    const { code, stderr } = await runCli(args, { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: .*providerSlug/)
  }, 60_000)

  it('lists the types in a terminal, and needs one elsewhere', async () => {
    const { cwd } = await startDev('http://127.0.0.1:1/')
    const terminal = startInTerminal(['trigger'], { cwd })
    await terminal.shows(/\r?\noutage_started\r\n/)
    await terminal.shows(/Publish one of them: feed-receiver trigger outage_started/)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    const elsewhere = await runCli(['trigger'], { cwd })
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.stderr).toMatch(/^error: trigger needs a type: .*outage_started/)
  }, 60_000)

  it('says how to start a feed if none runs in the folder', async () => {
    const { cwd } = await makeFolder()
    // An empty variable counts as missing.
    const env = { FEED_SANDBOX_LINK: '' }
    const { code, stderr } = await runMain(['trigger', 'outage_started', '--json'], { cwd, env })
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toEqual({
      code: 'no_sandbox',
      error:
        'No feed runs in this folder. Start one with `npx feed-receiver dev`, or pass the link of its page with --sandbox.',
    })
  })

  it('still finds the first of two feeds in a folder, after the second has stopped', async () => {
    const { cwd, dev } = await startDev('http://127.0.0.1:1/')
    const { feed } = await makeFolder()
    const second = startCli(['sandbox', '--port', '0', '--database', feed], { cwd })
    await second.line(/Control page/)
    expect(second.stderr.join('\n')).toMatch(/Another feed runs in this folder/)
    expect(await second.interrupt()).toBe(0)
    expect((await runMain(['trigger', 'outage_started'], { cwd })).code).toBe(0)
    dev.kill('SIGKILL')
    await dev.ended
    // The link of a feed that was killed does not stay.
    const third = startCli(['sandbox', '--port', '0', '--database', feed], { cwd })
    await third.line(/Control page/)
    expect(third.stderr).toEqual([])
    expect((await runMain(['trigger', 'outage_started'], { cwd })).code).toBe(0)
  }, 90_000)

  it('takes the link of a feed in another folder, and notices that one has stopped', async () => {
    const { cwd, dev } = await startDev('http://127.0.0.1:1/')
    const [, link = ''] = await dev.line(/Page +(http\S+)/)
    expect((await stat(join(cwd, '.feed-receiver/running.json'))).mode & 0o777).toBe(0o600)
    const { cwd: other } = await makeFolder()
    const args = ['trigger', 'outage_started', '--sandbox', link]
    expect((await runMain(args, { cwd: other })).code).toBe(0)
    expect(await dev.interrupt()).toBe(0)
    expect((await runMain(['trigger', 'outage_started'], { cwd })).stderr).toMatch(
      /No feed runs in this folder/,
    )
    expect((await runMain(args, { cwd: other })).stderr).toMatch(/No feed answers at 127\.0\.0\.1:/)
  }, 60_000)
})

async function startDev(url: string) {
  const { cwd, feed } = await makeFolder()
  const args = ['dev', url, '--port', '0', '--feed', feed]
  const dev = startCli(args, { cwd, env: { FEED_SIGNING_SECRET: secret } })
  await dev.line(/API/)
  return { cwd, dev }
}

async function makeFolder() {
  const cwd = await mkdtemp(join(tmpdir(), 'trigger-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const { url, drop } = await createCopy('nothing')
  onTestFinished(drop)
  return { cwd, feed: url }
}
