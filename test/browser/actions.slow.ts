import { createInbox, Permanent, type Inbox } from '@feed-receiver/inbox'
import type { Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'
import { goTo, openScreen, serveConsole, useBrowser } from './console-page.ts'

describe('in the console, an operator', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox
  // Nobody works here, so that what is retried waits where it can be counted.
  let idle: Inbox
  let isBroken = true

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    idle = createInbox({ database: database(), source: 'idle' })
    await idle.start()
    await inbox.work({
      '*': () => {
        if (isBroken) throw new Permanent('The page cannot be sent.')
      },
    })
  })
  afterAll(async () => {
    await inbox.stop()
    await idle.stop()
  })

  it('retries one entry after a confirmation', async () => {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await expect.poll(() => stateOf(event.id)).toBe('dead')
    isBroken = false
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, `/entry?id=${event.id}`)
    await page.getByText('Dead after 1 attempt').waitFor()
    await page.locator('.last-error p').getByText('The page cannot be sent.').waitFor()
    await page.getByLabel('Stack trace').getByText('at ').waitFor()

    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Retry this entry?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Retry this entry?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await inbox.operations()).operations).toEqual([])
    expect(await stateOf(event.id)).toBe('dead')

    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Queued for its handler.').waitFor()
    await page.locator('.state-done').waitFor()
    await page.getByText('Retried by Ada').waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await goTo(page, '/overview')
    await page.getByText(`Ada retried ${event.id}`).waitFor()
  })

  it('reprocesses one entry and repeats its effects', async () => {
    const event = makeEvent()
    isBroken = false
    await inbox.accept(deliveryOf(event))
    await expect.poll(() => stateOf(event.id)).toBe('done')
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, `/entry?id=${event.id}`)
    await page.getByRole('button', { name: 'Reprocess …' }).click()
    await page.getByRole('heading', { name: 'Reprocess 1 entry?' }).waitFor()
    await page.getByLabel('Effects').selectOption('again')
    await page.getByRole('button', { name: 'Reprocess 1' }).click()
    await page.getByText('1 entry queued for a handler.').waitFor()
    await page.getByText('Reprocessed by Ada').waitFor()
    const { operations } = await inbox.operations({ eventId: event.id })
    const detail = expect.stringContaining('effects: again')
    expect(operations).toMatchObject([{ kind: 'reprocess', by: 'Ada', detail }])
    await goTo(page, '/overview')
    await page.getByText(`Ada reprocessed ${event.id}`).waitFor()
  })

  it('reprocesses all filtered entries, never all entries at once', async () => {
    await insertDead('reprocessed', 1_200)
    await database().query(
      `update feed_inbox.entry set state = 'done', handled_at = now() where type = 'reprocessed'`,
    )
    const url = await serveConsole({ inbox: idle, readOnly: false })
    const page = await openScreen(browser(), url, '/entries?type=reprocessed')
    await page.getByRole('button', { name: 'Reprocess all' }).click()
    await page.getByRole('button', { name: 'Reprocess 1,200' }).click()
    await page.getByText('1,200 entries queued for a handler.').waitFor()
    expect(await idle.entries.count({ type: 'reprocessed', state: 'received' })).toMatchObject({
      count: 1_200,
    })
    await goTo(page, '/entries')
    await page.getByRole('button', { name: 'Reprocess all' }).waitFor({ state: 'detached' })
    // Without a time, this is no filter either.
    await goTo(page, '/entries?within=between')
    await page.getByLabel('Received since').waitFor()
    await page.locator('.rows').waitFor()
    expect(await page.getByRole('button', { name: 'Reprocess all' }).count()).toBe(0)
  })

  it('retries many entries with a count and progress', async () => {
    await insertDead('many', 3_400)
    await insertDead('others', 1)
    const url = await serveConsole({ inbox: idle, readOnly: false })
    const page = await openScreen(browser(), url, '/entries?state=dead&type=many')
    await page.getByRole('button', { name: 'Retry all' }).click()
    await page.getByRole('heading', { name: 'Retry 3,400 entries?' }).waitFor()
    expect((await idle.entries.count({ state: 'dead' })).count).toBe(3_401)
    const seen = page.evaluate(`new Promise((resolve) => {
      const values = new Set()
      new MutationObserver((_, observer) => {
        const bar = document.querySelector('progress')
        if (bar) values.add(bar.value)
        if (!bar && values.size > 0) { observer.disconnect(); resolve([...values]) }
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    })`)
    await page.getByRole('button', { name: 'Retry 3,400' }).click()
    await page.getByText('3,400 entries queued for a handler.').waitFor()
    expect(await seen).toContain(1_000)
    await page.getByText('No entry matches.').waitFor()
    expect((await idle.entries.count({ state: 'dead' })).count).toBe(1)
  })

  it('retries the entries of an error, and one in the list', async () => {
    const own = createInbox({ database: database(), source: 'own' })
    await own.start()
    await own.work({
      '*': ({ id }) => {
        throw new Permanent(id.endsWith('x') ? 'No such customer.' : `The index refused ${id}.`)
      },
    })
    const ids = ['evt_1', 'evt_2', 'evt_3x']
    for (const id of ids) await own.accept(deliveryOf(makeEvent({ id })))
    await expect.poll(async () => (await own.entries.count({ state: 'dead' })).count).toBe(3)
    await own.pause({ reason: 'So that nothing runs again.' })
    const page = await openScreen(browser(), await serveConsole({ inbox: own, readOnly: false }))
    const failures = page.getByRole('region', { name: 'Failed entries' })
    await failures.getByText('3 entries are dead').waitFor()
    expect(await page.title()).toMatch(/^Overview · Inbox · test · /)
    await failures.getByRole('link', { name: 'The index refused' }).click()
    await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(2)
    await page.locator('.chip').getByText('Same error').waitFor()
    await page.goBack()
    await failures.getByRole('button', { name: 'Retry these 2' }).click()
    await page.getByRole('button', { name: 'Retry 2', exact: true }).click()
    await page.getByText('2 entries queued for a handler.').waitFor()
    await failures.getByText('1 entry is dead').waitFor()
    await goTo(page, '/entries?state=dead')
    await page.locator('.rows').getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await page.getByText('No entry matches.').waitFor()
    await own.stop()
  })

  it('discards all deliveries of a reason in quarantine', async () => {
    const own = createInbox({ database: database(), source: 'discarding' })
    await own.start()
    for (const body of ['{"cut', '{"off']) {
      const { event: _, ...delivery } = deliveryOf({}, Buffer.from(body))
      await own.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
    }
    await own.accept({ ...deliveryOf(makeEvent()), doubt: 'id_mismatch' })
    const url = await serveConsole({ inbox: own, readOnly: false })
    const page = await openScreen(browser(), url, '/quarantine')
    await page.getByLabel('Reason').selectOption('Not JSON')
    await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(2)
    const discardAndClose = async (answer: (route: Route) => Promise<void>) => {
      await page.getByRole('button', { name: 'Discard all' }).click()
      await page.getByRole('heading', { name: 'Discard 2 deliveries?' }).waitFor()
      let pass = () => {}
      const held = new Promise<void>((resolve) => (pass = resolve))
      const whenClosed = (route: Route) => held.then(() => answer(route))
      await page.route('**/api/discardall', whenClosed, { times: 1 })
      await page.getByRole('button', { name: 'Discard 2', exact: true }).click()
      // It cannot be stopped.
      await page.locator('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      pass()
    }
    await discardAndClose((route) => route.abort())
    await page.getByText('Discard failed: ').waitFor()
    await discardAndClose((route) => route.continue())
    await page.getByText('2 deliveries discarded.').waitFor()
    await page.getByText('No deliveries.').waitFor()
    await page.getByLabel('Reason').selectOption('Any reason')
    await page.locator('.rows').getByText('Two ids').waitFor()
    await own.stop()
  })

  it('retries many entries again after a connection failure', async () => {
    await insertDead('failed_once', 3)
    const url = await serveConsole({ inbox: idle, readOnly: false })
    const page = await openScreen(browser(), url, '/entries?state=dead&type=failed_once')
    await page.getByRole('button', { name: 'Retry all' }).click()
    const retry = page.getByRole('button', { name: 'Retry 3' })
    await page.route('**/api/retry', (route) => route.abort(), { times: 1 })
    await retry.click()
    const problem = page.locator('dialog [role=alert]')
    await problem.getByText('The server does not answer.').waitFor()

    let pass = () => {}
    const held = new Promise<void>((resolve) => (pass = resolve))
    await page.route('**/api/retry', async (route) => {
      await held
      await route.continue()
    })
    await retry.click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    expect([await problem.textContent(), await retry.count()]).toEqual(['', 0])
    pass()
    await page.getByText('3 entries queued for a handler.').waitFor()
  })

  it('stops a retry of many entries', async () => {
    await insertDead('stopped', 30_000)
    const url = await serveConsole({ inbox: idle, readOnly: false })
    const page = await openScreen(browser(), url, '/entries?state=dead&type=stopped')
    await page.getByRole('button', { name: 'Retry all' }).click()
    await page.getByRole('button', { name: 'Retry 30,000' }).click()
    await expect.poll(() => page.locator('progress').getAttribute('value')).not.toBe('0')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const dead = () => idle.entries.count({ state: 'dead', type: 'stopped' })
    // What runs when the page lets go is finished, and nothing begins after it.
    await expect
      .poll(async () => {
        const { count } = await dead()
        const { operations } = await idle.operations({ limit: 1 })
        return [count, operations[0]?.by, (await dead()).count === count]
      })
      .toEqual([expect.any(Number), 'Ada', true])
    expect((await dead()).count).toBeGreaterThan(0)
  }, 180_000)

  it('reads why a delivery is in quarantine, and releases it', async () => {
    const event = makeEvent()
    await inbox.accept({ ...deliveryOf(event), doubt: 'id_mismatch' })
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, '/quarantine')
    await page.getByText('A header and the body name different events.').waitFor()
    await page.getByRole('link', { name: 'Two ids' }).click()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByText('under the id in its body').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
    await page.getByText('Released. Its event is stored.').waitFor()
    await page.locator('.state-released').waitFor()
    await page.getByText('by Ada').waitFor()
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Open the stored event' }).click()
    await page.getByText('Released from quarantine by Ada').waitFor()
    await expect.poll(() => stateOf(event.id)).toBe('done')
  })

  it('reads why a delivery cannot be released', async () => {
    const { event: _, ...delivery } = deliveryOf({}, Buffer.from('{"cut'))
    await inbox.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, '/quarantine')
    await page.getByRole('link', { name: 'Not JSON' }).click()
    await page.getByText('cut off').waitFor()
    await page.getByText('It cannot be released, because this version').waitFor()
    await page.getByRole('button', { name: 'Discard' }).waitFor()
    expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0)
    await page.locator('.state-open').waitFor()
  })

  it('compares contradictory events and discards one', async () => {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await inbox.accept(deliveryOf({ ...event, type: 'model_removed' }))
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, '/quarantine')
    await page.getByRole('link', { name: 'Same id, different content' }).click()
    const differing = page.locator('.compare .differs')
    await differing.waitFor()
    expect(await differing.locator('td').allInnerTexts()).toEqual([
      expect.stringContaining('"type": "model_release"'),
      expect.stringContaining('"type": "model_removed"'),
    ])
    expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.locator('.state-discarded').waitFor()
    await goTo(page, '/quarantine?state=discarded')
    await page.locator('.rows').getByText('Same id, different content').waitFor()
    await goTo(page, '/quarantine?state=open')
    await page.getByRole('link', { name: 'Not JSON' }).waitFor()
    expect(await page.locator('.rows').getByText('Same id').count()).toBe(0)
  })

  it('has no actions by default', async () => {
    await inbox.accept({ ...deliveryOf(makeEvent()), doubt: 'id_mismatch' })
    await insertDead('left_alone', 1, 'feed')
    const page = await openScreen(browser(), await serveConsole({ inbox }), '/entries?state=dead')
    await page.getByText('Read-only').waitFor()
    await page.locator('.rows').waitFor()
    const actions = page.getByRole('button', { name: /Retry|Release|Discard$/ })
    expect(await actions.count()).toBe(0)
    await page.locator('.row-link').first().click()
    await page.getByRole('button', { name: 'Copy id' }).waitFor()
    expect(await actions.count()).toBe(0)
    await goTo(page, '/quarantine')
    await page.getByRole('link', { name: 'Two ids' }).click()
    await page.locator('.raw').waitFor()
    expect(await actions.count()).toBe(0)
  })

  async function stateOf(id: string): Promise<string | undefined> {
    return (await inbox.entries.get(id))?.state
  }

  async function insertDead(type: string, count: number, source = 'idle'): Promise<void> {
    const body = Buffer.from(JSON.stringify(makeEvent({ type })))
    await database().query(
      `with dead as (
         insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at, handled_at)
         select $4, $1 || '_' || n, 'dead', $1, 'p', 'c', 't', 'confirmed', now(), now(), now()
         from generate_series(1, $2::integer) n
         returning id
       )
       insert into feed_inbox.entry_body (entry_id, body) select id, $3 from dead`,
      [type, count, body, source],
    )
  }
})
