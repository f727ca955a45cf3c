import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../../test/support/databases.ts'
import { encryptionKey } from '../../../test/encryption-key.ts'
import { openApp } from '../../../test/open-app.ts'
import { startSandbox, useSandbox } from '../../../test/use-sandbox.ts'
import { createVault, urlLabel } from '../../state/vault.ts'

const token = 'x'.repeat(24)
const chats = {
  slack: `https://hooks.slack.com/services/T00000000/B00000000/${token}`,
  discord: `https://discord.com/api/webhooks/123456789012345678/${token}`,
  teams: `https://prod-1.westeurope.logic.azure.com:443/workflows/${'0a'.repeat(16)}/triggers/manual/paths/invoke?sig=${token}`,
}
const sly = {
  title: '<!channel> *bold* & @everyone <https://evil.example|click> [x](https://evil.example)',
  summary: 'a\nb `code` \u202e <@U1> &lt; '.repeat(300),
  sourceUrl: 'https://status.example/a?x=1&y=%7Cz%3E',
}

describe('chat destinations', () => {
  const made = useSandbox({ historyDays: 0 })
  const control = () => made().sandbox.control

  it('get escaped messages in their own format, only in the journal [R181, R182, R183, R184]', async () => {
    const bodies: Record<string, string> = {}
    for (const [name, url] of Object.entries(chats)) {
      const created = await control().createDestination({ accountId: 'acct_sandbox', name, url })
      expect(created).toMatchObject({ kind: name, secret: null })
      expect(created.address).not.toContain(token)
      const { isAccepted, cause } = await control().testDestination(created)
      expect([isAccepted, cause]).toEqual([true, 'rendered'])
      expect(await made().act('rotate-secret', { id: created.id })).toMatchObject({ status: 409 })
    }
    const event = await control().composeEvent({ eventType: 'outage_started', ...sly })
    const rendered = async () => await control().listDeliveries({ eventId: event.id })
    await expect
      .poll(async () => (await rendered()).map(({ state }) => state))
      .toEqual(Array(3).fill('delivered'))
    const destinations = await control().listDestinations()
    for (const { id, destinationId } of await rendered()) {
      const kind = destinations.find((one) => one.id === destinationId)?.kind ?? ''
      bodies[kind] = (await control().findDelivery({ id }))?.body ?? ''
    }

    const link = 'https://status.example/a?x=1&y=%7Cz%3E'
    const slack = JSON.parse(bodies['slack'] ?? '')
    expect(textsOf(slack).join(' ')).toContain('&lt;!channel&gt; *bold* &amp; @everyone')
    const [mrkdwn] = find(slack, 'type', 'mrkdwn')
    expect(mrkdwn).toMatchObject({ text: `<${link.replace('&', '&amp;')}|Source>` })
    for (const text of textsOf(slack).filter((each) => !each.endsWith('|Source>'))) {
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
      expect(text.length).toBeLessThanOrEqual(3000)
    }
    const [header] = find(slack, 'type', 'header')
    expect(textsOf(header)[0]?.length).toBeLessThanOrEqual(150)

    const discord = JSON.parse(bodies['discord'] ?? '')
    expect(discord.allowed_mentions).toEqual({ parse: [] })
    const [embed] = discord.embeds
    expect(embed).toMatchObject({ url: link, timestamp: event.firstObservedAt })
    expect(embed.title).toContain('\\<!channel\\> \\*bold\\* & \\@everyone')
    expect(embed.title.length).toBeLessThanOrEqual(256)
    expect(embed.description.length).toBeLessThanOrEqual(4096)
    expect(textsOf(embed).join('').length).toBeLessThanOrEqual(6000)

    expect(Buffer.byteLength(bodies['teams'] ?? '')).toBeLessThanOrEqual(28 * 1024)
    const [card] = JSON.parse(bodies['teams'] ?? '').attachments
    expect(card.contentType).toBe('application/vnd.microsoft.card.adaptive')
    expect(card.content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Source', url: link }])
    // Texts of a text block would be markdown.
    expect(find(card, 'type', 'TextBlock')).toEqual([])
    expect(find(card, 'type', 'TextRun')[0]).toMatchObject({ text: sly.title })
    for (const body of Object.values(bodies)) expect(body).not.toContain('\u202e')
  })

  it('get messages within the size limit of Teams [R183, R184]', async () => {
    const wide = '\u4e00'.repeat(20_000)
    const event = await control().composeEvent({
      title: wide,
      summary: wide,
      sourceUrl: `https://status.example/${'a'.repeat(1900)}`,
    })
    await expect
      .poll(async () =>
        (await control().listDeliveries({ eventId: event.id })).map(({ state }) => state),
      )
      .toEqual(Array(3).fill('delivered'))
    for (const { id } of await control().listDeliveries({ eventId: event.id })) {
      const { body = '' } = (await control().findDelivery({ id })) ?? {}
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1024)
      expect(body).toContain('https://status.example/aaa')
    }
  })
})

describe('a sandbox that sends to chats', () => {
  it('posts messages without a signature, with the usual retries [R182]', async () => {
    const { target, drop } = await createTarget('postgres')
    onTestFinished(drop)
    const { sandbox } = await startSandbox({ database: target, historyDays: 0, sendChat: true })
    const app = await openApp()
    const url = chats.slack
    const { id } = await sandbox.control.createDestination({
      accountId: 'acct_sandbox',
      name: 'Chat',
      url,
    })
    // No chat on loopback is official, so the address is changed behind the sandbox's back.
    const vault = createVault(Buffer.from(encryptionKey, 'hex'))
    const database = openDatabase(target)
    await database.query('update sandbox.destination set url_sealed = $1', [
      vault.seal(app.url, urlLabel(id)),
    ])
    app.answer = () => ({ status: 200 })
    expect((await sandbox.control.testDestination({ id })).isAccepted).toBe(true)
    app.answer = () => ({ status: 429, headers: { 'retry-after': '3' } })
    const event = await sandbox.control.composeEvent({})
    const delivery = async () => (await sandbox.control.listDeliveries({ eventId: event.id }))[0]
    await expect.poll(delivery).toMatchObject({ state: 'scheduled', reason: 'rate_limited' })
    const { headers, body } = app.arrivals[1] ?? fail()
    expect(headers['content-type']).toBe('application/json')
    for (const name of ['feed-signature', 'feed-event-id', 'idempotency-key']) {
      expect(headers[name]).toBe(undefined)
    }
    expect(JSON.parse(body).blocks.length).toBeGreaterThan(2)
    await database.close()
    await sandbox.stop()
  })
})

function fail(): never {
  throw new Error('There is none.')
}

/** Every object in a value whose member has this value. */
function find(value: unknown, name: string, wanted: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const members: Record<string, unknown> = { ...value }
  const within = Object.values(value).flatMap((each) => find(each, name, wanted))
  return members[name] === wanted ? [members, ...within] : within
}

/** Every text shown to people. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' && ['text', 'title', 'description', 'value', 'name'].includes(name)
      ? [each]
      : textsOf(each),
  )
}
