/**
 * Takes the README's moving picture of `feed-receiver dev`: npm run screenshot. It needs img2webp, which
 * is in Debian's package webp.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConsole } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { createSandbox } from '@feed-receiver/sandbox'
import express from 'express'
import { devPage } from 'feed-receiver/internal'
import type { Page } from 'playwright-core'
import { listen } from '../contract/listen.ts'
import { createTarget } from '../support/databases.ts'
import { openBrowser } from './chromium.ts'

const film = fileURLToPath(new URL('../../docs/dev.webp', import.meta.url))
const maxKilobytes = 400
const secret = 'feed_whsec_of_the_film'
const frames: { path: string; ms: number }[] = []
const folder = mkdtempSync(join(tmpdir(), 'film-'))

const { target: inboxTarget, drop: dropInbox } = await createTarget('pglite')
const { target: feedTarget, drop: dropFeed } = await createTarget('pglite')
const inbox = createInbox({ database: inboxTarget })
await inbox.start()
await inbox.work({
  model_release: (_, { effects }) => effects.once('post to #models', () => undefined),
  outage_started: (_, { effects }) => effects.once('page the team', () => undefined),
})
let isDown = false
const app = express()
app.post('/webhooks/feed', (_, response, next) => {
  if (isDown) response.sendStatus(503)
  else next()
})
app.post('/webhooks/feed', toExpress(createReceiver({ secrets: [secret], inbox })))
const server = await listen(app)
const sandbox = createSandbox({
  database: feedTarget,
  port: 0,
  historyDays: 0,
  page: {
    folder: devPage,
    inbox: createConsole({ inbox, readOnly: false, authorize: () => ({ name: 'you' }) }),
  },
})
await sandbox.start()
const { control } = sandbox
await control.forwardTo({ url: `http://127.0.0.1:${server.port}/webhooks/feed`, secret })

const browser = await openBrowser()
const page = await browser.newPage({
  colorScheme: 'light',
  reducedMotion: 'reduce',
  viewport: { width: 1120, height: 640 },
})
await page.goto(sandbox.controlUrl)
await rowOf(page, 'Test delivery').getByText('delivered').waitFor()
await take(1200)

await page.keyboard.press('t')
await page.getByRole('dialog').getByLabel('Type').selectOption('outage_started')
await page.getByRole('dialog').getByLabel('Title').fill('Requests fail in eu-west')
await take(1600)
await page.getByRole('button', { name: 'Publish' }).click()
await rowOf(page, 'Requests fail').getByText('Done').waitFor()
await take(1600)

isDown = true
await control.composeEvent({ eventType: 'model_release', title: 'candela-5 is available' })
await rowOf(page, 'candela-5').getByText('scheduled · 503').waitFor()
await take(1800)
isDown = false
await page.getByRole('link', { name: 'candela-5' }).click()
await page.getByText('The next attempt is due').waitFor()
await take(1800)
await page.keyboard.press('r')
await page.locator('.moment').getByText('Handled').waitFor()
await take(3000)

await browser.close()
await sandbox.stop()
await server.close()
await inbox.stop()
await dropInbox()
await dropFeed()

const pictures = frames.flatMap(({ path, ms }) => ['-d', String(ms), '-lossless', '-m', '6', path])
execFileSync('img2webp', ['-loop', '0', '-o', film, ...pictures], { stdio: 'ignore' })
rmSync(folder, { recursive: true })
const kilobytes = Math.ceil(statSync(film).size / 1_000)
console.log(`docs/dev.webp has ${kilobytes} kB.`)
if (kilobytes > maxKilobytes) {
  console.error(`It must not have more than ${maxKilobytes} kB, because every reader loads it.`)
  process.exitCode = 1
}

function rowOf(within: Page, title: string) {
  return within.locator('.event-row').filter({ hasText: title }).first()
}

/** One picture of the film, and for how long it stands. */
async function take(ms: number): Promise<void> {
  const path = join(folder, `${frames.length}.png`)
  await page.screenshot({ path })
  frames.push({ path, ms })
}
