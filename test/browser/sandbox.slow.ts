import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../support/databases.ts'
import { openPage } from './open-page.ts'
import { useBrowser } from './use-browser.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const accountId = 'acct_sandbox'
const hostile = '<img src=x onerror="document.title=`taken`"> {{7*7}} \u202E"\'&'

describe('on the control page, a developer', () => {
  const browser = useBrowser()
  let sandbox: Sandbox
  let drop: () => Promise<void>
  let status = 202
  let paths: string[] = []
  let appUrl = ''
  const app = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume().on('end', () => response.writeHead(status).end('An answer of the app'))
  })

  beforeAll(async () => {
    const made = await createTarget('pglite')
    drop = made.drop
    sandbox = createSandbox({ database: made.target, port: 0, historyDays: 2 })
    await sandbox.start()
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/webhooks/feed`
  }, 120_000)
  afterAll(async () => {
    await sandbox.stop()
    app.closeAllConnections()
    app.close()
    await drop()
  })

  it('moves, freezes and resets the clock', async () => {
    const page = await open('events')
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByText('real time', { exact: true }).waitFor()
    await clock.getByRole('button', { name: 'Freeze' }).click()
    await clock.getByText('frozen').waitFor()
    const { now } = await sandbox.control.readClock()
    await clock.getByRole('button', { name: '+1 day' }).click()
    await expect.poll(() => later(now)).toBe(86_400_000)
    await clock.getByText('Another time').click()
    await clock.getByLabel('Shift by').fill('-2')
    await clock.getByRole('button', { name: 'Shift' }).click()
    await expect.poll(() => later(now)).toBe(79_200_000)
    await clock.getByLabel('Freeze at').fill('2030-02-03T04:05:06')
    await clock.getByRole('button', { name: 'Freeze at this time' }).click()
    await clock.getByText('2030-02-03 04:05:06 UTC').waitFor()
    await clock.getByRole('button', { name: 'Run' }).click()
    await clock.getByText(/ahead of real time/).waitFor()
    await clock.getByRole('button', { name: 'Real time' }).click()
    await expect.poll(async () => (await sandbox.control.readClock()).shiftMs).toBe(0)
  })

  it('publishes, confirms, corrects and retracts an event', async () => {
    const page = await open('events')
    await page.getByLabel('Type').selectOption('model_release')
    await page.getByLabel('Confirmation').selectOption('unconfirmed')
    await page.getByLabel('Title').fill(hostile)
    await page.getByText('Other members').click()
    await page.getByLabel('As JSON').fill('{"category": ')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('are not valid JSON').waitFor()
    await page.getByLabel('As JSON').fill('{"category": "models"}')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText(`Published: ${hostile}`).waitFor()
    await page.getByRole('link', { name: hostile, exact: true }).click()
    await page.getByRole('heading', { name: hostile }).waitFor()

    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect.poll(newest).toMatchObject({ confirmationState: 'confirmed', category: 'models' })
    await page.getByRole('button', { name: 'Confirm' }).waitFor({ state: 'detached' })
    await page.getByLabel('Title').fill('As it is now')
    await page.getByRole('button', { name: 'Correct' }).click()
    await page.getByRole('heading', { name: 'As it is now' }).waitFor()
    await page.getByRole('button', { name: 'Retract' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect((await newest())?.retractedAt ?? null).toBeNull()
    await page.getByRole('button', { name: 'Retract' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retract' }).click()
    await page.getByText('retracted', { exact: true }).waitFor()
    await expect.poll(newest).toMatchObject({ retractedAt: expect.any(String) })
    expect(await page.getByRole('button', { name: /Correct|Retract|Confirm/ }).count()).toBe(0)
    expect(await page.title()).toBe('Event · Sandbox')
  })

  it('creates, tests, pauses, rotates and deletes a destination', async () => {
    const page = await open('destinations')
    await page.getByText('No destinations yet.').waitFor()
    await page.getByLabel('Name').fill('My app')
    await page.getByLabel('URL').fill(appUrl)
    await page.getByRole('button', { name: 'Create' }).click()
    const shown = page.getByRole('dialog').getByLabel('The signing secret')
    expect(await shown.inputValue()).toMatch(/^feed_whsec_/)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await shown.inputValue())
    await page.getByRole('button', { name: 'Done' }).click()
    const card = page.getByRole('article', { name: 'My app' })

    status = 410
    await card.getByRole('button', { name: 'Test and activate' }).click()
    await page.getByText('Test not accepted: it answered 410.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    status = 202
    await card.getByRole('button', { name: 'Test and activate' }).click()
    await card.getByText('active', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Pause' }).click()
    await card.getByText('paused', { exact: true }).waitFor()
    await card.getByText('Somebody paused it on this page.').waitFor()
    await card.getByRole('button', { name: 'Resume' }).click()
    await card.getByText('active', { exact: true }).waitFor()

    await card.getByRole('button', { name: 'Rotate the secret' }).click()
    const next = page.getByRole('dialog').getByLabel('The new signing secret')
    await page.getByText(/Do not change FEED_SIGNING_SECRET\..*FEED_SIGNING_SECRET_NEXT/).waitFor()
    expect(await next.inputValue()).not.toBe(copied)
    await page.getByRole('button', { name: 'Done' }).click()
    await card.getByText(/^in 2[34] h|^in 1 d/).waitFor()
    await card.getByRole('button', { name: 'Cancel the rotation' }).click()
    await card.getByRole('button', { name: 'Rotate the secret' }).waitFor()

    await card.getByText('Change the rules').click()
    await card.getByLabel('Types').fill('outage, model_release')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('outage, model_release').waitFor()
    await card.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No destinations yet.').waitFor()
    await page.getByText('deleted', { exact: true }).waitFor()
  })

  it('reads that the message of a chat is only shown', async () => {
    const { id } = await sandbox.control.createDestination({
      accountId: 'acct_sandbox',
      name: 'Our chat',
      url: 'https://hooks.slack.com/services/T000/B000/XXXX',
    })
    const page = await open('destinations')
    const card = page.getByRole('article', { name: 'Our chat' })
    await card.getByRole('button', { name: 'Test and activate' }).click()
    await page.getByText('Message created. See it with its deliveries.').waitFor()
    await sandbox.control.deleteDestination({ id })
  })

  it('keeps typing while the destination changes', async () => {
    const { control } = sandbox
    const made = await control.createDestination({ accountId, name: 'Typed', url: appUrl })
    status = 202
    await control.testDestination(made)
    const page = await open('destinations')
    const card = page.getByRole('article', { name: 'Typed' })
    await card.getByText('active', { exact: true }).waitFor()
    await card.getByText('Change the rules').click()
    await card.getByLabel('Providers').pressSequentially('ope')
    await control.pauseDestination(made)
    await page.getByText('by hand').first().waitFor()
    await card.getByLabel('Providers').pressSequentially('nai')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('paused', { exact: true }).waitFor()
    await card.getByText('openai', { exact: true }).waitFor()
    await control.deleteDestination(made)
  })

  it('follows a delivery, and advances the clock to its next attempt', async () => {
    const { control } = sandbox
    const { id } = await control.createDestination({ accountId, name: hostile, url: appUrl })
    await control.testDestination({ id })
    await control.moveClock({ to: 'freeze' })
    status = 503
    paths = []
    await control.composeEvent({ id: 'evt_watched', title: 'Watched' })
    const page = await open('deliveries')
    await page.getByLabel('State').selectOption('scheduled')
    await page.getByRole('cell', { name: '503' }).waitFor()
    await page.getByText('due in 30 s').waitFor()
    await page.getByRole('link', { name: 'Watched', exact: true }).click()
    await page.getByText('An answer of the app').waitFor()
    status = 202
    await page.getByRole('button', { name: 'Advance the clock to the next attempt' }).click()
    await page.getByText('accepted', { exact: true }).waitFor()
    await page.getByText('delivered', { exact: true }).waitFor()
    expect(paths).toHaveLength(2)
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('replay', { exact: true }).waitFor()
    await expect.poll(() => paths.length).toBe(3)
    await control.moveClock({ to: 'reset' })
    await control.deleteDestination({ id })
  })

  it('reads why requests were rejected', async () => {
    await fetch(`${sandbox.url}/v1/events`)
    const page = await open('requests')
    await page.getByText('The API key is missing or not valid.').first().waitFor()
    await page.getByText('/_sandbox/api/move-clock').first().waitFor()
    await page.getByLabel('Only rejected').check()
    await page.getByText('/_sandbox/api/move-clock').first().waitFor({ state: 'detached' })
    await page.getByText('bad_key').first().waitFor()
  })

  it('adds fault rules and removes them', async () => {
    const { control } = sandbox
    const page = await open('faults')
    const deliveries = page.locator('section', { hasText: 'No delivery faults.' })
    await deliveries.getByLabel('Fault').selectOption('wrong_secret')
    await page.getByText('signed with an unknown secret').waitFor()
    await deliveries.getByLabel('How often').fill('3')
    await deliveries.getByRole('button', { name: 'Add' }).click()
    await page.getByText('3 more times').waitFor()
    const answers = page.locator('section', { hasText: 'No API faults.' })
    await answers.getByLabel('Fault').selectOption('delay')
    await answers.getByLabel('Delay in ms').fill('250')
    await answers.getByRole('button', { name: 'Add' }).click()
    await page.getByText('delay 250 ms').waitFor()
    expect(await control.listApiFaults()).toMatchObject([{ fault: { kind: 'delay', ms: 250 } }])
    expect(await control.listDeliveryFaults()).toMatchObject([
      { fault: 'wrong_secret', timesLeft: 3 },
    ])
    await page.getByRole('button', { name: 'Remove' }).first().click()
    await page.getByText('No delivery faults.').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No API faults.').waitFor()
  })

  it('creates a key and an account, changes and revokes', async () => {
    const page = await open('accounts')
    const keys = page.locator('section', { has: page.getByRole('heading', { name: 'API keys' }) })
    await keys.getByLabel('Name').fill(hostile)
    await keys.getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('dialog').getByLabel('The API key').inputValue()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await statusWith(key)).toBe(200)
    const card = page.getByRole('article', { name: 'Sandbox' })
    await card.getByLabel('Pro').uncheck()
    await card.getByLabel('Requests in a minute').fill('7')
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await statusWith(key)).toBe(403)
    await sandbox.control.changeAccount({ id: accountId, proActive: true, burstLimit: 120 })
    await page.getByRole('row', { name: hostile }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('revoked', { exact: true }).waitFor()
    expect(await statusWith(key)).toBe(401)
    await page.getByRole('button', { name: 'Publish a private event' }).first().click()
    await page.getByText('Published for this account only').waitFor()
    const accounts = page.locator('section', {
      has: page.getByRole('heading', { name: 'New account' }),
    })
    const adding = accounts.locator('.panel')
    await adding.getByLabel('Name').fill('Second')
    await adding.getByLabel('Id').fill('acct_second')
    await adding.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('article', { name: 'Second' }).waitFor()
  })

  it('changes the settings', async () => {
    const page = await open('everything')
    const replay = { firstCursor: 'replay', moveChanged: false }
    await page.getByLabel('The cursor of a first page leads').selectOption('through all history')
    await page.getByLabel('Changed events get a new position').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => sandbox.control.readSettings()).toEqual(replay)
    await page.reload()
    await page.getByLabel('The cursor of a first page leads').waitFor()
    expect(await page.getByLabel('Changed events get a new position').isChecked()).toBe(false)
    await sandbox.control.changeSettings({ firstCursor: 'tail', moveChanged: true })
  })

  it('exports the sandbox and resets it', async () => {
    const page = await open('everything')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as JSON' }).click()
    const stream = await (await downloading).createReadStream()
    expect(JSON.stringify(await readAll(stream))).toContain('evt_watched')
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await page.getByText('Reset. The feed starts again with its history.').waitFor()
    expect(await sandbox.control.findEvent({ id: 'evt_watched' })).toBeUndefined()
  })

  const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [1280, 360].map((width) => ({ colorScheme, width })),
  )
  it.each(looks)(
    'has accessible screens in $colorScheme at a width of $width',
    async ({ colorScheme, width }) => {
      const { control } = sandbox
      const name = `App ${width} ${colorScheme}`
      const { id } = await control.createDestination({ accountId, name, url: appUrl })
      onTestFinished(async () => void (await control.deleteDestination({ id })))
      await control.testDestination({ id })
      const event = await control.composeEvent({ title: hostile, confirmationState: 'unconfirmed' })
      const [delivery] = await control.listDeliveries()
      const paused = await control.createDestination({ accountId, name: 'Paused', url: appUrl })
      onTestFinished(async () => void (await control.deleteDestination(paused)))
      await control.testDestination(paused)
      await control.pauseDestination(paused)
      await fetch(`${sandbox.url}/v1/nowhere`)
      const page = await open('events', { colorScheme, viewport: { width, height: 800 } })
      const screens = {
        events: '.rows',
        [`event?id=${event.id}`]: 'h1:has-text("onerror")',
        'event?id=none': '.empty',
        destinations: '.card',
        [`destination?id=${id}`]: '.rows',
        [`destination?id=${paused.id}`]: '.why',
        deliveries: '.rows',
        [`delivery?id=${delivery?.id}`]: '.raw',
        requests: '.rows',
        faults: '.form .hint',
        accounts: '.card',
        everything: '.danger',
        nowhere: '.empty',
      }
      for (const [screen, sight] of Object.entries(screens)) {
        await page.goto(`${sandbox.url}/_sandbox/#/${screen}`)
        await page.locator(sight).first().waitFor()
        for (const summary of await page.locator('main summary').all()) await summary.click()
        await expectFine(page, screen)
      }
    },
  )

  async function open(screen: string, options = {}): Promise<Page> {
    const page = await openPage(browser(), sandbox.controlUrl, {
      reducedMotion: 'reduce',
      ...options,
    })
    await page.goto(`${sandbox.url}/_sandbox/#/${screen}`)
    await page.locator('.clock-tools button').first().waitFor()
    return page
  }

  async function later(than: Date): Promise<number> {
    return (await sandbox.control.readClock()).now.getTime() - than.getTime()
  }

  async function newest() {
    return (await sandbox.control.listEvents({ limit: 1 }))[0]
  }

  async function statusWith(key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${sandbox.url}/v1/events`, { headers })).status
  }
})

/** No rule of axe is broken, and nothing has to be scrolled sideways. */
async function expectFine(page: Page, screen: string): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(`axe.run(document).then(({ violations, passes }) => ({
    isLookedAt: passes.length > 10,
    broken: violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]),
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    isTaken: document.title === 'taken',
  }))`)
  const fine = { isLookedAt: true, broken: [], isTooWide: false, isTaken: false }
  expect({ screen, found }).toEqual({ screen, found: fine })
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
