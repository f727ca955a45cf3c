import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createConsole, type Console, type ConsoleOptions } from '@feed-receiver/console'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { listen } from '../contract/listen.ts'
import { openBrowser } from './chromium.ts'

export const token = 'browser-tests-0123456789abcdef'

/** One browser for all tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  return () => {
    if (!browser) throw new Error('the browser opens in beforeAll, and this was before it')
    return browser
  }
}

/** Serves a console for one test, and gives the URL of its page. */
export async function serveConsole(
  options: ConsoleOptions,
  path = '/ops/console/',
): Promise<string> {
  return await serve(
    listenerOf(createConsole(options.authorize ? options : { token, ...options })),
    path,
  )
}

/** Serves anything for one test. */
export async function serve(listener: RequestListener, path: string): Promise<string> {
  const { port, close } = await listen(listener)
  onTestFinished(close)
  return `http://127.0.0.1:${port}${path}`
}

/** A console as a listener of `node:http`, Express and the like. */
export function listenerOf(console: Console): RequestListener {
  const handle = toNodeHandler(console)
  return (request, response) => void handle(request, response)
}

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

/** The same, logged in as Ada, at a screen. */
export async function openScreen(
  browser: Browser,
  url: string,
  route = '/overview',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openPage(browser, `${url}#token=${token}&name=Ada`, options)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await goTo(page, route)
  return page
}

/** Follows a link within the page. */
export async function goTo(page: Page, route: string): Promise<void> {
  await page.goto(new URL(`#${route}`, page.url()).href)
  await page.locator('h1').waitFor()
}
