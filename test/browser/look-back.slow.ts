import { createInbox } from '@feed-receiver/inbox'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/databases.ts'
import { slowEntriesDown, storeEntries } from '../support/slow-entries.ts'
import { openScreen, serveConsole, useBrowser } from './console-page.ts'

const browser = useBrowser()
const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

it('shows how far back a slow search went, and continues it', async () => {
  await using inbox = createInbox({ database: database() })
  await inbox.start()
  await storeEntries(database())
  await slowEntriesDown(database())
  const url = await serveConsole({ inbox })
  const page = await openScreen(browser(), url, '/entries?type=type_0&provider=provider-1')
  const none = page.getByText('No entry matches since')
  await none.waitFor()
  const times = [await none.locator('time').getAttribute('datetime')]
  const more = page.getByRole('button', { name: 'Show more' })
  await more.click()
  await expect.poll(() => none.locator('time').getAttribute('datetime')).not.toBe(times[0])
  await more.click()
  await page.getByText('Title of 4000').waitFor()
  await page.getByText('Searched back to').waitFor()
  await more.click()
  await more.waitFor({ state: 'detached' })
  expect(await page.getByText('Title of 4000').count()).toBe(1)
  expect(await page.getByText('Searched back').count()).toBe(0)
})
