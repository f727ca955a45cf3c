/**
 * Takes pictures of the control page of a sandbox: node --import tsx
 * --conditions=@feed-receiver/source test/browser/sandbox-screenshots.ts <folder>.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox } from '@feed-receiver/sandbox'
import { openBrowser } from './chromium.ts'
import { fillSandbox } from './fill-sandbox.ts'

const folder = process.argv[2] ?? 'screenshots'
const data = mkdtempSync(join(tmpdir(), 'feed-receiver-screenshots-'))
mkdirSync(folder, { recursive: true })

let isWell = true
const app = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(isWell ? 202 : 503).end('stored'))
})
await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
const sandbox = createSandbox({ database: { folder: data }, port: 0 })
await sandbox.start()
const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/webhooks/feed`
const { scheduled } = await fillSandbox(sandbox, url, () => (isWell = false))
const { events } = await sandbox.control.export()
const { id } = events.at(-1) as { id: string }
const paused = (await sandbox.control.listDestinations()).find(({ state }) => state === 'paused')
const ids: Record<string, unknown> = { event: id, delivery: scheduled, destination: paused?.id }
const screens = {
  events: '.rows',
  event: '.raw',
  destinations: '.card',
  destination: '.why',
  deliveries: '.rows',
  delivery: '.rows',
  requests: '.rows',
  faults: '.panel .form',
  accounts: '.card',
  everything: '.panel',
}
const browser = await openBrowser()
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [device, viewport] of [
      ['desktop', { width: 1280, height: 900 }],
      ['phone', { width: 360, height: 780 }],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport })
      const page = await context.newPage()
      await page.goto(sandbox.controlUrl)
      for (const [name, sight] of Object.entries(screens)) {
        const query = name in ids ? `?id=${String(ids[name])}` : ''
        await page.goto(`${sandbox.url}/_sandbox/#/${name}${query}`)
        await page.locator(sight).first().waitFor({ state: 'attached' })
        await page.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) })
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
  await sandbox.stop()
  app.closeAllConnections()
  app.close()
  rmSync(data, { recursive: true })
}
