import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openPage } from './open-page.ts'
import { useSandboxPage } from './use-sandbox-page.ts'

const phone = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true }

describe('a notice of the control page', () => {
  const { open, connect, control, answer } = useSandboxPage()

  it('keeps an error until the next attempt succeeds', async () => {
    const { id, name } = await connect('Tried')
    const page = await open('destinations')
    const card = page.getByRole('article', { name })
    answer.status = 500
    await card.getByRole('button', { name: 'Test' }).click()
    const error = page.getByRole('alert').getByText('Test not accepted')
    await error.waitFor()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.clock.install()
    await page.clock.fastForward(60_000)
    expect(await error.isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Destinations' }).click()
    await card.getByRole('button', { name: 'Test' }).click()
    await expect.poll(() => page.locator('.notice.bad').count()).toBe(1)
    answer.status = 204
    await card.getByRole('button', { name: 'Test' }).click()
    await page.getByRole('status').getByText('Test accepted with 204.').waitFor()
    expect(await page.locator('.notice.bad').count()).toBe(0)
    await control().deleteDestination({ id })
  })

  it('stacks, is announced once, and closes by Escape', async () => {
    const page = await open('events')
    await page.evaluate(showLonger)
    await page.evaluate(recordAdditions)
    for (const title of ['First', 'Second']) {
      await page.getByLabel('Title').fill(title)
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByText(`Published: ${title}`).waitFor()
    }
    await page.locator('h1').focus()
    await page.keyboard.press('r')
    await page.getByText('No delivery is selected.').waitFor()
    expect(await page.locator('.notice').count()).toBe(3)
    expect(await overlaps(page.locator('.notice'))).toEqual([])
    for (const role of ['alert', 'status'] as const) {
      const region = page.locator(`.notices [role=${role}]`)
      expect(await region.getAttribute('aria-atomic')).toBe('false')
    }
    const added = await page.evaluate<string[]>('window.added')
    expect(added).toHaveLength(3)
    for (const text of ['Published: First', 'Published: Second', 'No delivery is selected.']) {
      expect(added.filter((one) => one.startsWith(text))).toHaveLength(1)
    }
    await page.keyboard.press('Escape')
    await page.getByText('No delivery is selected.').waitFor({ state: 'detached' })
    expect(await page.locator('.notice').count()).toBe(2)
    await page.getByRole('button', { name: 'Close' }).first().press('Enter')
    await expect.poll(() => page.locator('.notice').count()).toBe(1)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  it.each([{}, phone])('never covers the controls in use: %j', async (device) => {
    const { id, name } = await connect('Covered')
    const page = await open('destinations', device)
    const card = page.getByRole('article', { name })
    answer.status = 500
    for (const block of ['start', 'end'] as const) {
      const button = card.getByRole('button', { name: 'Test' })
      await button.evaluate((element, at) => element.scrollIntoView({ block: at }), block)
      await button.click()
      await page.getByText('Test not accepted').waitFor()
      for (const label of ['Test', 'Pause', 'Rotate the secret']) {
        expect(await isOnTop(card.getByRole('button', { name: label }))).toBe(true)
      }
      await page.getByRole('button', { name: 'Close' }).click()
    }
    await control().deleteDestination({ id })
  })

  it('waits for a dialog to close', async () => {
    const page = await open('events')
    await page.evaluate(recordAdditions)
    await page.keyboard.press('t')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Out of a dialog')
    await dialog.getByLabel('Title').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Published: Out of a dialog').waitFor()
    expect(await page.evaluate('window.added')).toHaveLength(1)
    expect(await page.evaluate('window.addedBehind')).toBe(false)
  })
})

describe('the keys of the control page', () => {
  const { open, connect, control, answer } = useSandboxPage()

  it('publish, fail and resend', async () => {
    const { id } = await connect('Keyed')
    const page = await open('deliveries')
    await page.keyboard.press('f')
    const dialog = page.getByRole('dialog')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('fault')
    await dialog.getByLabel('Fails with').selectOption('status 500')
    await dialog.getByText('answers 500, so the delivery is retried').waitFor()
    await dialog.getByRole('button', { name: 'Make it fail' }).click()
    await page.getByText('The next delivery fails: answer 500.').waitFor()
    expect(await control().listDeliveryFaults()).toMatchObject([
      { fault: 'answer_500', timesLeft: 1, destinationId: null },
    ])

    await page.keyboard.press('t')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('eventType')
    await dialog.getByLabel('Title').fill('trf?jk')
    await dialog.getByRole('button', { name: 'Publish' }).click()
    const row = page.getByRole('row', { name: 'trf?jk' })
    await row.getByText('500', { exact: true }).waitFor()
    await row.getByText('outage_started').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)

    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await page.getByText('Attempted now: trf?jk').waitFor()
    await row.getByText('delivered').waitFor()
    await page.keyboard.press('r')
    await page.getByText('Sent again: trf?jk').waitFor()
    await row.getByText('sent again').waitFor()
    expect(await control().listDeliveries({ destinationId: id })).toMatchObject([
      { kind: 'replay', eventTitle: 'trf?jk' },
      { kind: 'live', attempts: 2 },
      { kind: 'test' },
    ])
    await control().deleteDestination({ id })
  })

  it('are listed by a question mark, and ignored while you type', async () => {
    const page = await open('events')
    await page.getByLabel('Title').pressSequentially('trf?1')
    await page.getByLabel('Provider').press('t')
    expect(await page.getByLabel('Title').inputValue()).toBe('trf?1')
    expect(await page.locator('dialog, .notice').count()).toBe(0)
    await page.locator('h1').focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByText('Make the next delivery fail').waitFor()
    await page.mouse.click(5, 5)
    await page.keyboard.press('t')
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/#\/events$/)
  })

  it('show why a paused destination rejects a resend', async () => {
    const { id, name } = await connect('Refusing')
    answer.status = 410
    const event = await control().composeEvent({ title: 'The last one' })
    const page = await open('deliveries')
    await page.getByRole('row', { name: 'The last one' }).getByText('rejected').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await page.getByText(`${name} is paused because it answered 410. Fix the app`).waitFor()
    expect(await control().listDeliveries({ eventId: event.id })).toHaveLength(1)
    await page.getByRole('link', { name: 'The last one' }).click()
    await page.getByText(`${name} is paused, so this delivery cannot be sent again.`).waitFor()
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)

    await page.getByRole('link', { name: `Open ${name}` }).click()
    await expectWhy(page)
    await page.getByRole('link', { name: 'Destinations' }).first().click()
    await expectWhy(page.getByRole('article', { name }))
    await page.getByRole('article', { name }).getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Test not accepted: it answered 410.').waitFor()
    answer.status = 202
    await page.getByRole('article', { name }).getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('article', { name }).getByText('active', { exact: true }).waitFor()
    await control().deleteDestination({ id })

    async function expectWhy(place: Page | Locator): Promise<void> {
      const why = place.locator('.why')
      await why.getByText('It answered 410 to attempt 1 of delivery').waitFor()
      await why.getByText('An answer of 400, 401, 403, 404, 405, 410 or 422').waitFor()
      await why.getByText('An answer of the app').waitFor()
      expect(await why.locator('time').getAttribute('dateTime')).toMatch(/^\d{4}-/)
      await why.getByText('Fix the app, then resume.').waitFor()
    }
  })
})

describe('the control page', () => {
  const { open, sandbox, browser } = useSandboxPage()

  it('shows its whole navigation on a phone', async () => {
    const page = await open('everything', phone)
    const links = page.getByRole('navigation').getByRole('link')
    expect(await links.count()).toBe(7)
    for (const link of await links.all()) {
      const box = await link.boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360)
      expect(await isOnTop(link)).toBe(true)
    }
    expect(await page.locator('nav [aria-current=page]').innerText()).toBe('Settings')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })

  it('shows the next step on an empty screen', async () => {
    const page = await open('deliveries')
    await page.getByText('because there is no destination').waitFor()
    await page.getByRole('link', { name: 'Create one' }).click()
    await page.getByText('Create one below with the URL of your app').waitFor()
  })

  it('says how to open it without a session', async () => {
    const page = await openPage(browser(), `${sandbox().url}/`)
    await page.getByRole('link', { name: 'Control page' }).click()
    await page.getByText('feed-receiver sandbox').first().waitFor()
    await page.getByText(`${sandbox().url}/_sandbox/open?session=feed_session_…`).waitFor()
    await page.goto(sandbox().controlUrl)
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    await page.context().clearCookies()
    await page.getByRole('heading', { name: 'Open the control page from your terminal' }).waitFor()
  })
})

/** On a busy machine, the steps of a test take longer than a notice is shown. */
const showLonger = `{
  const before = setTimeout
  window.setTimeout = (run, ms, ...rest) => before(run, ms >= 5_000 ? 10 * ms : ms, ...rest)
}`

/** Keeps what is added to live regions, as a screen reader hears it. */
const recordAdditions = `
  window.added = []
  window.addedBehind = false
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (!node.classList?.contains('notice')) continue
        window.added.push(node.textContent)
        window.addedBehind ||= document.querySelector('dialog[open]') !== null
      }
    }
  }).observe(document.querySelector('.notices'), { childList: true, subtree: true })`

async function overlaps(notices: Locator): Promise<string[]> {
  const boxes = await Promise.all((await notices.all()).map((one) => one.boundingBox()))
  const found = boxes.flatMap((box) => box ?? [])
  return found.flatMap((one, at) =>
    found
      .slice(at + 1)
      .filter((other) => one.y < other.y + other.height && other.y < one.y + one.height)
      .map((other) => `${one.y} ${other.y}`),
  )
}

/** Whether a click in its middle reaches it. */
async function isOnTop(control: Locator): Promise<boolean> {
  return await control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const hit = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2)
    return hit !== null && (element === hit || element.contains(hit))
  })
}
