import { readFileSync } from 'node:fs'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { createAlerts } from '@feed-receiver/operate/alerts'
import { reproduce } from '@feed-receiver/operate/rehearse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'
import { goTo, openScreen, serveConsole, useBrowser } from './console-page.ts'

describe('the console', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.work({ '*': () => {} })
  })
  afterAll(() => inbox.stop())

  it('pauses the whole inbox, shows it on every screen, and resumes it', async () => {
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url)
    await page.getByRole('button', { name: 'Pause …' }).click()
    const pause = page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true })
    expect(await pause.isDisabled()).toBe(true)
    await page.getByLabel('Reason').fill('Release of 4.2')
    // The screen behind it asks again meanwhile.
    await page.waitForResponse(/api\/overview/)
    expect(await page.getByLabel('Reason').inputValue()).toBe('Release of 4.2')
    await page.keyboard.press('Enter')
    await page.getByText('Paused. Workers claim no more').waitFor()
    const state = page.locator('.paused li')
    await expect
      .poll(() => state.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^The whole inbox is paused since .* by Ada. Reason: Release/),
      ])
    expect(await page.locator('.paused-bar').count()).toBe(0)
    await page.getByText('Ada paused the whole inbox: Release of 4.2').waitFor()

    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await goTo(page, `/entry?id=${event.id}`)
    await page.getByText('Waits because the inbox is paused').waitFor()
    await page.locator('.paused-bar').getByText('Reason: Release of 4.2').waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()

    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('heading', { name: 'Resume the whole inbox?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await inbox.pauses()).toHaveLength(1)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Resumed. Workers continue').waitFor()
    await state.waitFor({ state: 'detached' })
    await page.getByText('Ada resumed the whole inbox').waitFor()
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    await goTo(page, '/entries')
    await page.locator('.rows').waitFor()
    expect(await page.locator('.paused-bar').count()).toBe(0)
  })

  it('pauses types by keyboard, and warns of an unknown one', async () => {
    await inbox.accept(deliveryOf(makeEvent({ type: 'outage_started' })))
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url)
    await page.getByRole('button', { name: 'Pause …' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Some types' }).focus()
    await page.keyboard.press('Enter')
    const chosen = page.getByRole('checkbox', { name: 'outage_started' })
    await chosen.focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Everything' }).click()
    await page.getByRole('button', { name: 'Some types' }).click()
    expect(await chosen.isChecked()).toBe(true)
    await page.getByLabel('Another type').fill('model_releases')
    await page.getByLabel('Reason').fill('The index is rebuilt.')
    await page.keyboard.press('Enter')
    const problem = page.locator('dialog [role=alert]')
    await problem
      .getByText("The event type 'model_releases' is neither documented nor stored")
      .waitFor()
    expect(await inbox.pauses()).toEqual([])
    await page.getByRole('checkbox', { name: 'Force' }).check()
    await page.getByLabel('Reason').press('Enter')
    await page.locator('.paused').getByText('outage_started is paused').waitFor()
    expect(await inbox.pauses()).toMatchObject([
      { type: 'model_releases', by: 'Ada' },
      { type: 'outage_started', reason: 'The index is rebuilt.' },
    ])
    const event = makeEvent({ type: 'outage_started' })
    await inbox.accept(deliveryOf(event))
    await goTo(page, `/entry?id=${event.id}`)
    await page.getByText('Waits because its type is paused').waitFor()
    // Other types are handled, so there is nothing to say elsewhere.
    expect(await page.locator('.paused-bar').count()).toBe(0)
    await goTo(page, '/overview')
    await page.getByRole('button', { name: 'Pause …' }).click()
    await page.getByRole('button', { name: 'Some types' }).click()
    await page.getByRole('checkbox', { name: 'model_release' }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'outage_started' }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await page.locator('.paused li').getByRole('button').last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => inbox.pauses()).toMatchObject([{ type: 'model_releases' }])
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
  })

  it('shows pauses without buttons when read-only', async () => {
    await inbox.pause({ reason: 'Release of 4.3', by: 'Grace' })
    const page = await openScreen(browser(), await serveConsole({ inbox }))
    await page.locator('.paused').getByText('by Grace. Reason: Release of 4.3').waitFor()
    expect(await page.getByRole('button', { name: /Pause|Resume/ }).count()).toBe(0)
    await inbox.resume()
  })

  it('shows rejected deliveries first, and a probable pause in red', async () => {
    const quiet = createInbox({ database: database(), source: 'rejecting' })
    await quiet.start()
    // Hourly deliveries, but none since the rejection: anybody can send a wrong signature.
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, push_count, last_push_at, signed_by, signed_at)
       select 'rejecting', 'regular-' || n, 'done', 't', 'p', 'c', 't', 'c', at, at, 1, at, 'one', at
       from (select n, now() - n * interval '1 hour' as at from generate_series(5, 240) n) given`,
    )
    const rejected = { notes: [], durationMs: 1 }
    quiet.answered({ ...rejected, reason: 'method_not_allowed', status: 405 })
    quiet.answered({ ...rejected, reason: 'signature_mismatch', status: 401 })
    const error = new Error('connect ECONNREFUSED')
    quiet.answered({ ...rejected, reason: 'store_failed', status: 503, error })
    await expect.poll(async () => (await quiet.rejections()).length).toBe(3)
    const page = await openScreen(browser(), await serveConsole({ inbox: quiet }))
    const first = page.locator('.banner').first()
    await first.getByText('the receiver answered 401 (signature_mismatch)').waitFor()
    await first.getByText('current signing secret').waitFor()
    expect(await page.locator('.banner.bad').count()).toBe(1)
    expect(await page.getByText('No problems').count()).toBe(0)
    await page.locator('.calm').getByText('1 × Not a POST request').waitFor()
    await page.locator('.calm').getByText('1 × Database failed').click()
    const rows = page.getByRole('table', { name: 'Rejected deliveries' }).locator('tbody tr')
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Wrong signature.*pauses the feed.*signing secret.*1 time.*401/s),
        expect.stringMatching(/Database failed.*Cause: connect ECONNREFUSED.*retries.*503/s),
        expect.stringMatching(/Not a POST request.*are not its deliveries.*405/s),
      ])

    await quiet.accept(deliveryOf(makeEvent()))
    await goTo(page, '/overview')
    await page.getByText(/probably from strangers:.*1 × Wrong signature/).waitFor()
    await expect.poll(() => page.locator('.banner.bad').count()).toBe(0)
    await quiet.stop()
  })

  it('shows open alerts, and not that there are no problems', async () => {
    const alerts = createAlerts({ inbox, notify: () => {} })
    expect(await alerts.list()).toEqual([])
    await database().query(
      `insert into feed_inbox.alert (source, rule, subject, message, noticed_at, opened_at, closed_at)
       values ('feed', 'missed', '', 'Push left out 3 events.', now(), now(), null),
         ('feed', 'silence', '', 'No delivery came.', now(), now(), now())`,
    )
    const page = await openScreen(browser(), await serveConsole({ inbox, alerts }))
    const shown = page.getByRole('list', { name: 'Warnings' })
    await shown.getByText('Push left out 3 events.').waitFor()
    await shown.getByText('Alert open since').waitFor()
    await shown.getByText('your delivery rules').waitFor()
    expect(await page.getByText('No delivery came.').count()).toBe(0)
    expect(await page.getByText('No problems.').count()).toBe(0)
  })

  it('saves the test file of an entry, also when read-only', async () => {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    const page = await openScreen(
      browser(),
      await serveConsole({ inbox, reproduce: (id) => reproduce(inbox, id) }),
      `/entry?id=${event.id}`,
    )
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Test file' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe(`event-${event.id}.test.ts`)
    expect(readFileSync(await saved.path(), 'utf8')).toContain('runReproduction')
  })
})
