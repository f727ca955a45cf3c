import { createInbox, Permanent, type Inbox } from '@feed-receiver/inbox'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { goTo, openScreen, serveConsole, useBrowser } from './console-page.ts'

const hostile = [
  '<img src=x onerror="window.hit=1">',
  '"><script>window.hit=1</script>',
  `'onmouseover='window.hit=1' style='position:fixed;inset:0`,
  '</title></textarea></style><svg onload=window.hit=1>',
  'javascript:window.hit=1',
  '&lt;b&gt;&#60;script&#62;window.hit=1&#60;/script&#62;',
  '\u202egnp.exe\u2066\u2029\u0007 \u200f',
  '{{constructor.constructor("window.hit=1")()}} ${window.hit=1}',
  '#token=%0d%0aset-cookie:a=b?id=&state=dead',
  'ｆｕｌｌ'.repeat(2_000),
  // Wide characters, without spaces between words.
  '人工智能提供商发布新的大型语言模型、東京オフィスの開設。'.repeat(8),
  '__proto__',
  '',
]

const pulledId = (text: string, index: number) =>
  `pulled ${index} ${text.slice(0, 200).replaceAll(/\p{Cc}/gu, '')}`

const links = ['javascript:window.hit=1', 'data:text/html,<script>window.hit=1</script>', 'x:y']

describe('hostile strings', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.work({
      '*': ({ data }) => {
        throw new Permanent(data.title)
      },
    })
    for (const [index, text] of hostile.entries()) await acceptAll(text, index)
    for (const [index, text] of hostile.entries()) await pullAll(text, index)
    await until('all are dead', async () => {
      return (await inbox.entries.count({ state: 'dead' })).count === 2 * hostile.length
    })
    for (const text of hostile.filter((one) => one !== '')) await pauseAndReject(text)
    await inbox.pause({ reason: hostile[0] ?? '', by: hostile[1] ?? '' })
  })
  afterAll(() => inbox.stop())

  it('stay text in every field of every screen [R73]', async () => {
    const url = await serveConsole({ inbox, readOnly: false, title: hostile[0] ?? '' })
    const page = await openScreen(browser(), url)
    await page.locator('.plot').waitFor()
    await expectHarmless(page)
    await page.getByRole('button', { name: 'Pause …' }).click()
    await page.getByLabel('Reason').waitFor()
    await expectHarmless(page)
    await page.keyboard.press('Escape')
    await goTo(page, '/entries')
    await page.locator('.rows').waitFor()
    await expectHarmless(page)
    const { entries } = await inbox.entries.list()
    expect(entries).toHaveLength(2 * hostile.length)
    for (const { eventId } of entries.filter(({ pushCount }) => pushCount > 0)) {
      const query = new URLSearchParams({ id: eventId })
      await goTo(page, `/entry?${query.toString()}`)
      await page.locator('.last-error').waitFor()
      await page.getByLabel('Stack trace').waitFor()
      await expectHarmless(page)
      await page.getByRole('button', { name: 'Headers' }).click()
      await expectHarmless(page)
    }
    await goTo(page, '/feed?kind=pull_only')
    const events = page.getByRole('table', { name: 'Events' })
    await events.waitFor()
    expect(await events.locator('tbody tr').count()).toBe(hostile.length)
    await expectHarmless(page)
    for (const [index, text] of hostile.entries()) {
      const query = new URLSearchParams({ id: pulledId(text, index) })
      await goTo(page, `/entry?${query.toString()}`)
      await page.locator('.compare').waitFor()
      await expectHarmless(page)
    }
    await goTo(page, '/quarantine?state=all')
    await page.locator('.rows').waitFor()
    await expectHarmless(page)
    const { quarantined } = await inbox.quarantined.list({ limit: 100 })
    expect(quarantined.length).toBeGreaterThan(hostile.length)
    for (const { id } of quarantined) {
      await goTo(page, `/quarantined?id=${id}`)
      await page.locator('.raw').waitFor()
      await expectHarmless(page)
    }
    await goTo(page, '/secrets')
    await page.locator('.card').first().waitFor()
    await expectHarmless(page)
  }, 180_000)

  it('stay text in the link', async () => {
    const page = await openScreen(browser(), await serveConsole({ inbox }))
    for (const text of hostile) {
      const names = [
        'search',
        'provider',
        'type',
        'category',
        'subject',
        'state',
        'within',
        'id',
        'kind',
      ]
      const said = text.slice(0, 500)
      const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, said])))
      for (const screen of [
        'entries',
        'entry',
        'quarantine',
        'quarantined',
        'overview',
        'feed',
        text,
      ]) {
        await goTo(page, `/${screen}?${query.toString()}`)
        await expectHarmless(page)
      }
    }
  })

  it.each(['', ...hostile.slice(9, 11)])(
    'fit the list on a phone with the subject %j',
    async (text) => {
      const url = await serveConsole({ inbox })
      const subject = new URLSearchParams({ subject: text.slice(0, 500) }).toString()
      const viewport = { width: 360, height: 740 }
      const page = await openScreen(browser(), url, `/entries?${subject}`, { viewport })
      await page
        .getByLabel('Provider')
        .getByText(hostile[9]?.slice(0, 20) ?? '')
        .waitFor({ state: 'attached' })
      await expectHarmless(page)
    },
  )

  it('are found by search', async () => {
    const page = await openScreen(browser(), await serveConsole({ inbox }), '/entries')
    for (const text of hostile.slice(0, 6)) {
      await page.getByRole('searchbox').fill(text)
      // One came by push and one by pull.
      await expect.poll(() => page.locator('.row-link').allTextContents()).toEqual([text, text])
    }
  })

  /** In one stream each, whose cursor is lost, and corrected by pull. */
  async function pullAll(text: string, index: number): Promise<void> {
    // What is older than its stream would be no gap.
    const created_at = new Date().toISOString()
    const { event } = deliveryOf(makeEvent({ id: pulledId(text, index), type: text, created_at }))
    const said = { title: text, provider: text, summary: text, source_url: text }
    const pull = { detectedVia: text, [text]: text, correctedAt: text, retractedAt: text }
    const first = { ...event, pull }
    const second = { ...event, data: { ...event.data, ...said }, pull }
    const stream = `${index} ${text.slice(0, 500)}`
    const at = new Date(Date.now() - 3 * 3_600_000)
    const usage = { requests: 1, limit: 2, period: '2026-11', resetsAt: '2026-12-01T00:00:00Z' }
    await inbox.acceptPage([first], { stream, at, usage })
    await inbox.acceptPage([second], { stream, at, gapCode: text.slice(0, 100) })
    await inbox.streams.take(stream, { holder: 'tests', leaseMs: 60_000, at })
    const note = { phase: 'waiting', code: text.slice(0, 100), waitUntil: at } as const
    await inbox.streams.note(stream, 'tests', note)
  }

  /** As other code around the inbox may count it, of a type as somebody may write it. */
  async function pauseAndReject(text: string): Promise<void> {
    const said = text.slice(0, 300).replaceAll(/\p{Cc}/gu, '')
    await inbox.pause({ types: [said], reason: said, by: said, force: true })
    await database().query(
      `insert into feed_inbox.rejection (source, reason, hour, count, last_at, status, cause)
       values ('feed', $1, now(), 1, now(), 401, $1)`,
      [said],
    )
  }

  async function acceptAll(text: string, index: number): Promise<void> {
    const event = {
      schema_version: '1.0',
      id: `evt ${index} ${text.slice(0, 200).replaceAll(/\p{Cc}/gu, '')}`,
      type: text,
      created_at: '2026-11-02T10:00:00Z',
      data: {
        provider: text,
        category: text,
        subject: { type: text, key: text },
        title: text,
        summary: text,
        evidence: text,
        confirmation: text,
        source_url: links[index % links.length],
        source_published_at: '2026-11-02T10:00:00Z',
        benchmark: { current: { [text]: text }, previous: null },
        [text]: [text],
      },
    }
    const headers = { 'content-type': text.slice(0, 100), 'user-agent': text, [`x-${text}`]: text }
    const delivery = { ...deliveryOf(event), headers }
    await inbox.accept(delivery)
    await inbox.accept({ ...delivery, ...deliveryOf({ ...event, more: text }), headers })
    const { event: _, ...unreadable } = delivery
    await inbox.quarantine({ ...unreadable, detail: text, eventId: event.id }, 'not_an_event')
    await inbox.accept({ ...deliveryOf({ ...event, id: `other ${index}` }), doubt: 'id_mismatch' })
    const [row] = (await inbox.quarantined.list({ limit: 1 })).quarantined
    await inbox.quarantined.discard(row?.id ?? 0, { by: text })
  }
})

/** Nothing of it ran, nothing of it became more than text, and it stays in its place. */
async function expectHarmless(page: Page): Promise<void> {
  const found = await page.evaluate(`({
    hit: window.hit ?? null,
    strange: [...document.querySelectorAll('#app :is(img, script, iframe, style, object, embed, base, textarea, svg [onload])')].map((one) => one.outerHTML),
    handlers: [...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc'),
    schemes: [...document.querySelectorAll('[href], [src]')].map((one) => new URL(one.href?.baseVal ?? one.href ?? one.src, location.href).protocol).filter((scheme) => scheme !== 'http:' && scheme !== 'https:'),
    wide: document.documentElement.scrollWidth - innerWidth > 0,
    prototype: Object.keys({}.__proto__),
  })`)
  expect(found).toEqual({
    hit: null,
    strange: [],
    handlers: [],
    schemes: [],
    wide: false,
    prototype: [],
  })
}
