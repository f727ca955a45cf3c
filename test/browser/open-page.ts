import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/**
 * Opens a page for one test. When the test is over, the page must have asked nobody but its own
 * server, and must have met no error and no violation of its content security policy.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    // A refused call is one that its test looks at.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('dialog', (dialog) => problems.push(`a dialog says ${dialog.message()}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(request.url())
  })
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })
  await page.goto(url)
  return page
}
