import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCopy } from '../../../../test/support/templates.ts'
import { openApp } from '../../../sandbox/test/open-app.ts'
import { startMain } from '../../test/start-cli.ts'
import { startInTerminal } from '../../test/start-in-terminal.ts'

const secret = 'feed_whsec_that_the_app_has_already'
const interrupt = '\u0003'

/** Whether the handler of the app fails. */
let isBroken = false

describe('the keys of dev in a terminal', () => {
  it('trigger, fail, retry and list, and leave the terminal as it was', async () => {
    const { args, where } = await makeFolder()
    const dev = startInTerminal(args, where)
    await dev.shows(/Press t to trigger an event, f to fail the next delivery, \? for all keys\./)
    await dev.shows(/✓ handled .* model_release/)
    dev.type('?')
    await dev.shows(/ {2}t {2}trigger an event.*\r\n {2}f {2}fail the next delivery/)
    dev.type('f')
    await dev.shows(/The next delivery gets 503/)
    dev.type('t')
    await dev.shows(/Published outage_started: /)
    await dev.shows(/→ 503 .* outage_started/)
    dev.type('r')
    await dev.shows(/Retrying 1 delivery now\./)
    await dev.shows(/✓ handled .* outage_started/)
    // A failing handler is retried, too.
    isBroken = true
    dev.type('t')
    await dev.shows(
      /\[33m.*! failing, attempt 1 +outage_started +again in \d+ s, The pager is down/,
    )
    isBroken = false
    dev.type('r')
    await dev.shows(/Retrying 1 event now\./)
    await dev.shows(/✓ handled .* outage_started/)
    dev.type('r')
    await dev.shows(/Nothing waits for a retry\./)
    dev.type('o')
    await dev.shows(/Page {2}http:.*session=/)
    dev.type('q')
    const { code, modes } = await dev.ended
    expect(code).toBe(0)
    expect(modes).toMatch(/ icanon\b.* echo\b/s)
  }, 90_000)

  it('retry events also while the destination is paused, which they say', async () => {
    const { args, app, where } = await makeFolder()
    const dev = startInTerminal(args, where)
    await dev.shows(/✓ handled .* model_release/)
    isBroken = true
    dev.type('t')
    await dev.shows(/! failing, attempt 1 +outage_started/)
    isBroken = false
    dev.type('f')
    await dev.shows(/The next delivery gets 503/)
    dev.type('t')
    await dev.shows(/→ 503 .* outage_started/)
    app.secrets = ['feed_whsec_another']
    dev.type('t')
    await dev.shows(/→ 401 .* outage_started/)
    dev.type('r')
    await dev.shows(/warning: .* is paused because it answered 401\./)
    await dev.shows(/Retrying 1 event now\./)
    await dev.shows(/✓ handled .* outage_started/)
    dev.type('q')
    expect((await dev.ended).code).toBe(0)
  }, 90_000)

  it('open the page with an address that is valid once and without the session', async () => {
    const { args, where } = await makeFolder()
    const browser = join(where.cwd, 'browser.sh')
    await writeFile(browser, '#!/bin/sh\necho "$@" >> opened\n', { mode: 0o755 })
    // Without the desktop entries of this machine, xdg-open starts BROWSER.
    const home = { HOME: where.cwd, XDG_DATA_DIRS: where.cwd }
    const env = { ...where.env, ...home, DISPLAY: ':0', BROWSER: browser }
    const dev = startInTerminal(args, { ...where, env })
    await dev.shows(/The feed is live\./)
    const opened = async () => {
      const text = await readFile(join(where.cwd, 'opened'), 'utf8').catch(() => '')
      return text.trim().split('\n')
    }
    const address = /^http:\/\/127\.0\.0\.1:\d+\/_sandbox\/open\?code=\S+$/
    await expect.poll(opened, { timeout: 10_000 }).toEqual([expect.stringMatching(address)])
    dev.type('o')
    await expect.poll(opened, { timeout: 10_000 }).toHaveLength(2)
    const [first = '', second = ''] = await opened()
    expect(second).toMatch(address)
    expect(second).not.toBe(first)
    for (const url of [first, second]) {
      const statuses = []
      for (const _ of ['first', 'second']) {
        statuses.push((await fetch(url, { redirect: 'manual' })).status)
      }
      expect(statuses).toEqual([302, 401])
    }
    const [printed = ''] = /http:\S+open\?session=\S+/.exec(dev.screen()) ?? []
    expect((await fetch(printed, { redirect: 'manual' })).status).toBe(302)
    dev.type('q')
    expect((await dev.ended).code).toBe(0)
  }, 90_000)

  it('work on when a process of the app ends, which resets the terminal', async () => {
    const { args, where } = await makeFolder()
    const untilTold = `import { existsSync } from 'node:fs'
      const timer = setInterval(() => existsSync('end') && clearInterval(timer), 20)`
    await writeFile(join(where.cwd, 'app.mjs'), untilTold)
    await writeFile(join(where.cwd, 'app.sh'), 'node app.mjs; touch ended; sleep 60')
    const dev = startInTerminal([...args, '--', 'sh', 'app.sh'], where)
    await dev.shows(/Press t/)
    await writeFile(join(where.cwd, 'end'), '')
    await expect.poll(() => readdir(where.cwd), { timeout: 10_000 }).toContain('ended')
    dev.type('?')
    await dev.shows(/list the keys/)
    dev.type('q')
    expect(await dev.ended).toMatchObject({ modes: expect.stringMatching(/ icanon\b.* echo\b/s) })
  }, 90_000)

  it('leave Ctrl-C as it is', async () => {
    const { args, where } = await makeFolder()
    const dev = startInTerminal(args, where)
    await dev.shows(/The feed is live\./)
    dev.type(interrupt)
    const { code, modes } = await dev.ended
    expect(code).toBe(0)
    expect(modes).toMatch(/ icanon\b.* echo\b/s)
  }, 90_000)

  it.each([
    ['in CI', [], { CI: 'true' }],
    ['with --json', ['--json'], {}],
  ])(
    'do nothing %s',
    async (_, more, env) => {
      const { args, where } = await makeFolder()
      const dev = startInTerminal([...args, ...more], { ...where, env: { ...where.env, ...env } })
      await dev.shows(/"type":"live"|The feed is live\./)
      dev.type('q')
      dev.type('?')
      await dev.shows(/handled|"state":"done"/)
      expect(dev.screen()).not.toMatch(/Press t|list the keys/)
      dev.type(interrupt)
      expect(await dev.ended).toMatchObject({ code: 0 })
    },
    90_000,
  )

  it('are not mentioned without a terminal', async () => {
    const { args, where } = await makeFolder()
    const dev = startMain(args, where)
    await dev.line(/The feed is live\./)
    expect(dev.stderr.join('\n')).not.toContain('Press t')
    expect(await dev.interrupt()).toBe(0)
  }, 60_000)
})

/** A folder, an app with handlers, and the arguments that start dev beside it. */
async function makeFolder() {
  const cwd = await mkdtemp(join(tmpdir(), 'dev-keys-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const [own, feed] = [await createCopy('nothing'), await createCopy('nothing')]
  onTestFinished(own.drop)
  onTestFinished(feed.drop)
  const inbox = createInbox({ database: own.url })
  await inbox.start()
  onTestFinished(() => inbox.stop())
  await inbox.work({
    outage_started() {
      if (isBroken) throw new Error('The pager is down.')
    },
    model_release: () => undefined,
  })
  const app = await openApp()
  app.secrets = [secret]
  app.store = inbox
  const args = ['dev', app.url, '--port', '0', '--feed', feed.url, '--database', own.url]
  return { args, app, where: { cwd, env: { FEED_SIGNING_SECRET: secret } } }
}
