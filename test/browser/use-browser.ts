import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { openBrowser } from './chromium.ts'

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
