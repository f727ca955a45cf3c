import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { createTarget } from '../support/databases.ts'
import { openPage } from './open-page.ts'
import { useBrowser } from './use-browser.ts'

/** A sandbox for the tests of a file, an app beside it whose answer they choose, and its pages. */
export function useSandboxPage() {
  const browser = useBrowser()
  const answer = { status: 202, body: 'An answer of the app' }
  let sandbox: Sandbox
  let drop: () => Promise<void>
  let appUrl = ''
  const app = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status).end(answer.body))
  })
  beforeAll(async () => {
    const made = await createTarget('pglite')
    drop = made.drop
    sandbox = createSandbox({ database: made.target, port: 0, historyDays: 0 })
    await sandbox.start()
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/webhooks/feed`
  }, 120_000)
  afterAll(async () => {
    await sandbox.stop()
    app.closeAllConnections()
    app.close()
    await drop()
  })

  return {
    answer,
    browser,
    sandbox: () => sandbox,
    control: () => sandbox.control,
    /** Makes an active destination for the app. */
    async connect(name: string) {
      const account = { accountId: 'acct_sandbox', name, url: appUrl }
      const { id } = await sandbox.control.createDestination(account)
      answer.status = 202
      await sandbox.control.testDestination({ id })
      return { id, name }
    },
    async open(screen: string, options: BrowserContextOptions = {}): Promise<Page> {
      const still = { reducedMotion: 'reduce', ...options } as const
      const page = await openPage(browser(), sandbox.controlUrl, still)
      await page.goto(`${sandbox.url}/_sandbox/#/${screen}`)
      await page.locator('.clock-tools button').first().waitFor()
      return page
    },
  }
}
