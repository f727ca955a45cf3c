import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The path of the machine's Chromium. Throws if there is none. */
export function findChromium(): string {
  const path = process.env['TEST_CHROMIUM'] ?? '/usr/bin/chromium'
  if (existsSync(path)) return path
  throw new Error(
    `There is no Chromium at ${path}. Install it (apt-get install -y chromium), or say ` +
      'where it is: TEST_CHROMIUM=/path/to/chromium.',
  )
}

/** Opens the browser of the machine, which talks to nobody but the tests. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: findChromium(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
