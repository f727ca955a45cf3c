import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createConsole, type Console, type ConsoleOptions } from '@feed-receiver/console'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { listen } from '../contract/listen.ts'
import { openPage } from './open-page.ts'

export { openPage } from './open-page.ts'
export { useBrowser } from './use-browser.ts'

export const token = 'browser-tests-0123456789abcdef'

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
