import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage, useBrowser } from '../../browser/console-page.ts'
import type { NextVersion } from './global-setup.ts'
import { buildApp, copyApp, startNextApp, type NextApp } from './next-app.ts'

/** The console as a route of an app with a base path. Next removes the trailing slash. */
export function describeConsole(version: NextVersion): void {
  describe(`Next ${version} with the console`, () => {
    const browser = useBrowser()
    let app: NextApp
    beforeAll(async () => {
      const folder = copyApp(version, 'test/compat/next/apps/console')
      await buildApp(folder)
      app = await startNextApp(folder, 'start', {})
    })
    afterAll(async () => {
      await app.stop()
    })

    it.each(['/app/console', '/app/console/'])(
      'shows views and performs actions at %s',
      async (path) => {
        const page = await openPage(browser(), `http://127.0.0.1:${app.port}${path}`)
        await page.getByRole('heading', { name: 'In Next' }).waitFor()
        await page.getByLabel('Token').fill('next-console-0123456789')
        await page.getByRole('button', { name: 'Log in' }).click()
        await page.getByText('No problems.').waitFor()
        await page.getByRole('link', { name: 'Entries', exact: true }).click()
        await page.getByText('No events yet. New ones appear here live.').waitFor()
        await page.getByRole('button', { name: 'Log out' }).click()
        await page.getByLabel('Token').waitFor()
        expect(new URL(page.url()).pathname).toBe('/app/console')
      },
    )
  })
}
