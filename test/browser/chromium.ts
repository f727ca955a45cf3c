import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const executablePath = process.env['TEST_CHROMIUM'] ?? '/usr/bin/chromium'

/** Opens the browser of the machine, which talks to nobody but the tests. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it (apt-get install -y chromium), or say ` +
        'where it is: TEST_CHROMIUM=/path/to/chromium.',
    )
  }
  return await chromium.launch({
    executablePath,
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
