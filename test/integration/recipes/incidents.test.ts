import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FeedEvent } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { createSender, fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { threadMessage } from '../../../templates/recipes/incidents/chat.ts'
import { createIncidents, isDown } from '../../../templates/recipes/incidents/index.ts'
import {
  stepOf,
  summaryOf,
  withStep,
  type Incident,
  type Phase,
} from '../../../templates/recipes/incidents/incident.ts'
import { createSlack } from '../../../templates/recipes/incidents/slack.ts'
import { saveStep } from '../../../templates/recipes/incidents/store.ts'
import { createWebhook } from '../../../templates/recipes/incidents/webhook.ts'
import { describeOnEach, embedded, useDatabase } from '../../support/databases.ts'
import { receiveFeed, secret, type ReceivingApp } from './receive-feed.ts'
import { slackFaults, slackToken, useSlack } from './serve-slack.ts'

describeOnEach('the recipe incidents, on %s,', (kind) => {
  const sandbox = useSandbox({ historyDays: 0 })
  const database = useDatabase(kind, 'inbox')
  const slack = useSlack()
  let app: ReceivingApp
  let providers = 0

  beforeAll(async () => {
    const chat = createSlack({ token: slackToken, channel: '#incidents', url: slack().url })
    const handlers = await createIncidents({ database: database(), chat })
    app = await receiveFeed(sandbox(), database(), handlers)
  })
  afterAll(() => app.stop())

  it(
    'posts one thread for an outage, and shows its end in the first message',
    embedded,
    async () => {
      const { provider, publish } = newProvider()
      const { sourceUrl } = await publish('outage_started', {
        title: 'Chat fails',
        summary: 'All of it.',
      })
      await app.untilHandled()
      expect(await isDown(database(), provider)).toBe(true)
      await publish('outage_updated', { title: 'Chat fails: cause found', summary: 'A router.' })
      await app.untilHandled()
      await publish('outage_resolved', { title: 'Chat works', summary: null })
      await app.untilHandled()
      expect(await isDown(database(), provider)).toBe(false)

      const [first, ...replies] = threadOf(provider)
      expect(first?.texts.map(withoutTime)).toEqual([
        `:red_circle: *Outage* ${provider}: Chat fails\nAll of it.\n… · <${sourceUrl}|Source>`,
        `:red_circle: *Outage* ${provider}: Chat fails\nA router.\n… · <${sourceUrl}|Source>`,
        `:large_green_circle: *Resolved* ${provider}: Chat fails\n… · <${sourceUrl}|Source>`,
      ])
      expect(replies.map(({ texts }) => texts.map((text) => text.split('\n')[0]))).toEqual([
        [`:large_orange_circle: *Update* ${provider}: Chat fails: cause found`],
        [`:large_green_circle: *Resolved* ${provider}: Chat works`],
      ])
      expect(replies.map(({ thread }) => thread)).toEqual([first?.ts, first?.ts])
    },
  )

  it('posts each message once and in order while Slack limits, rejects and resets', async () => {
    const { provider, publish } = newProvider()
    const { rateLimited, rejected, reset } = slackFaults
    slack().failNext('chat.postMessage', rateLimited, rejected)
    slack().failNext('chat.update', reset, rateLimited)
    for (const type of ['outage_started', 'outage_updated', 'outage_resolved'])
      await publish(type, { title: type })
    await app.untilHandled()
    expect(threadOf(provider).map(({ texts }) => texts.map((text) => text.split('\n')[0]))).toEqual(
      [
        [
          `:red_circle: *Outage* ${provider}: outage_started`,
          `:red_circle: *Outage* ${provider}: outage_started`,
          `:large_green_circle: *Resolved* ${provider}: outage_started`,
        ],
        [`:large_orange_circle: *Update* ${provider}: outage_updated`],
        [`:large_green_circle: *Resolved* ${provider}: outage_resolved`],
      ],
    )
  })

  it('posts nothing again when its events are handled again', async () => {
    const { provider, publish } = newProvider()
    await publish('outage_started', { title: 'Again' })
    await publish('outage_resolved', { title: 'Over' })
    await app.untilHandled()
    const before = slack().calls.length
    await app.inbox.entries.reprocess({ filter: { provider } })
    await app.untilHandled()
    expect(slack().calls).toHaveLength(before)
    expect(await isDown(database(), provider)).toBe(false)
  })

  it('edits its messages after a correction and a retraction', async () => {
    const { provider, publish } = newProvider()
    const { control } = sandbox().sandbox
    const started = await publish('outage_started', { title: 'Chat' })
    const resolved = await publish('outage_resolved', { title: 'Resolved too early' })
    await app.untilHandled({ pulls: true })
    await control.changeEvent({ to: 'retract', id: resolved.id })
    await control.changeEvent({ to: 'correct', id: started.id, content: { title: 'Images' } })
    await app.untilHandled({ pulls: true })
    expect(await isDown(database(), provider)).toBe(true)
    const heads = threadOf(provider).map(({ texts }) => texts.at(-1)?.split('\n')[0])
    expect(heads).toEqual([
      `:red_circle: *Outage* ${provider}: Images`,
      `:wastebasket: *Retracted* ${provider}: Resolved too early`,
    ])
    slack().failNext('chat.update', slackFaults.rejected)
    await control.changeEvent({ to: 'retract', id: started.id })
    await app.untilHandled({ pulls: true })
    expect(await isDown(database(), provider)).toBe(false)
    expect(threadOf(provider)[0]?.texts.at(-1)).toMatch(/^:wastebasket: \*Retracted\*/)
  })

  it('posts an early signal only once it is confirmed', async () => {
    const { provider, publish } = newProvider()
    const { id } = await publish('outage_started', {
      title: 'A rumour',
      confirmationState: 'unconfirmed',
    })
    await app.untilHandled({ pulls: true })
    expect(threadOf(provider)).toEqual([])
    expect(await isDown(database(), provider)).toBe(false)
    await sandbox().sandbox.control.changeEvent({ to: 'confirm', id })
    await app.untilHandled({ pulls: true })
    expect(threadOf(provider)).toHaveLength(1)
    expect(await isDown(database(), provider)).toBe(true)
  })

  it('keeps an incident whole whose events arrive in another order', async () => {
    const provider = 'late-labs'
    const at = (minute: number, type: string): FeedEvent => ({
      ...fixture('outage_started', { id: `evt_late_${minute}`, data: { provider, title: type } }),
      type,
      created_at: `2026-11-02T10:0${minute}:00Z`,
    })
    await deliver(at(1, 'outage_updated'))
    await deliver(at(3, 'outage_resolved'))
    await deliver(at(0, 'outage_started'))
    await deliver(at(2, 'outage_updated'))
    // The background of an outage that is over.
    await deliver(at(4, 'outage_updated'))
    const [first, ...replies] = threadOf(provider)
    expect(first?.texts.at(-1)).toMatch(
      /^:large_green_circle: \*Resolved\* late-labs: outage_started/,
    )
    expect(new Set(replies.map(({ thread }) => thread))).toEqual(new Set([first?.ts]))
    expect(replies).toHaveLength(4)
    expect(await isDown(database(), provider)).toBe(false)
    await deliver(at(5, 'outage_started'))
    expect(await isDown(database(), provider)).toBe(true)
  })

  it('opens an outage with an update long after the end of another', async () => {
    const provider = 'again-labs'
    const at = (time: string, type: string): FeedEvent => ({
      ...fixture('outage_started', { id: `evt_again_${time}`, data: { provider, title: time } }),
      type,
      created_at: time,
    })
    await deliver(at('2026-05-01T10:00:00Z', 'outage_started'))
    await deliver(at('2026-05-01T11:00:00Z', 'outage_resolved'))
    await deliver(at('2026-05-02T10:59:00Z', 'outage_updated'))
    expect(await isDown(database(), provider)).toBe(false)
    await deliver(at('2026-05-02T11:01:00Z', 'outage_updated'))
    expect(await isDown(database(), provider)).toBe(true)
    // Its start arrives late.
    await deliver(at('2026-05-02T11:00:30Z', 'outage_started'))
    await deliver(at('2026-05-02T12:00:00Z', 'outage_resolved'))
    expect(await isDown(database(), provider)).toBe(false)
    const [first, second, ...others] = threadOf(provider).filter(({ thread }) => !thread)
    expect(first?.texts.at(-1)).toContain('*Resolved* again-labs: 2026-05-01T10:00:00Z')
    expect(second?.texts.at(-1)).toContain('*Resolved* again-labs: 2026-05-02T11:00:30Z')
    expect(others).toEqual([])
  })

  it('ends a confirmed outage, and not an early signal that came after it', async () => {
    const provider = 'signal-labs'
    const at = (minute: number, confirmation: string): FeedEvent => ({
      ...fixture('outage_started', {
        id: `evt_signal_${minute}`,
        data: { provider, confirmation },
      }),
      created_at: `2026-11-02T10:0${minute}:00Z`,
    })
    await deliver(at(0, 'confirmed'))
    await deliver(at(1, 'unconfirmed'))
    expect(await isDown(database(), provider)).toBe(true)
    await deliver({ ...at(2, 'confirmed'), type: 'outage_resolved' })
    expect(await isDown(database(), provider)).toBe(false)
  })

  it('knows the state while the chat fails', async () => {
    const provider = 'unheard-labs'
    const fail = () => Promise.reject(new Error('The chat is down, too.'))
    const inbox = createInbox({ database: database(), source: 'unheard', ordered: 'subject' })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const started = fixture('outage_started', { id: 'evt_unheard', data: { provider } })
    await inbox.acceptPage([started], { stream: 'test', cursor: null })
    const chat = { post: fail, edit: fail }
    const handlers = await createIncidents({ database: database(), chat })
    expect(await inbox.drain(handlers, { onFailed: () => {} })).toMatchObject({ failed: 1 })
    expect(await isDown(database(), provider)).toBe(true)
  })

  it('begins no outage with the background of an unknown one', async () => {
    const provider = 'earlier-labs'
    const event = fixture('outage_updated', { id: 'evt_background', data: { provider } })
    const incident = { rootEventId: 'evt_earlier', phase: 'context' }
    // Of the facts of the pull API, the recipe reads these.
    const pull = { incident } as FeedEvent['pull']
    await app.inbox.acceptPage([{ ...event, pull }], { stream: 'background', cursor: null })
    await app.untilHandled()
    expect(threadOf(provider)).toEqual([])
    expect(await isDown(database(), provider)).toBe(false)
  })

  it('keeps every event of an incident that several begin at once', async () => {
    const ids = [1, 2, 3, 4].map((number) => `evt_at_once_${number}`)
    const pull = { incident: { rootEventId: 'evt_at_once', phase: 'update' } } as FeedEvent['pull']
    const events = ids.map((id) => ({
      ...fixture('outage_updated', { id, data: { provider: 'at-once' } }),
      pull,
    }))
    await Promise.all(
      events.map((event) => database().tx((tx) => saveStep(tx, event, stepOf(event, 'updated')))),
    )
    const { rows } = await database().query<Incident>(
      'select steps from incidents.incident where id = $1',
      ['evt_at_once'],
    )
    expect(rows[0]?.steps.map(({ eventId }) => eventId).toSorted()).toEqual(ids)
  })

  it('mentions nobody and links nowhere else, whatever third parties write', async () => {
    const provider = 'evil-labs'
    const title = '<!channel> & <https://evil.example|login>\n\u202eand\0 more'
    const source_url = 'https://status.example/a?b=1&c=<d>|e'
    await deliver(fixture('outage_started', { data: { provider, title, source_url } }))
    const [heading, ...lines] = threadOf(provider)[0]?.texts[0]?.split('\n') ?? []
    expect(heading).toBe(
      `:red_circle: *Outage* ${provider}: &lt;!channel&gt; &amp; &lt;https://evil.example|login&gt; and more`,
    )
    expect(lines.at(-1)).toContain('<https://status.example/a?b=1&amp;c=%3Cd%3E%7Ce|Source>')
  })

  it('posts the same threads to a plain webhook', async () => {
    const posted: { key: unknown; body: { action: string; id: string; threadId?: string } }[] = []
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      posted.push({ key: request.headers['idempotency-key'], body: JSON.parse(text) })
      response.end()
    }
    const server = createServer((request, response) => void take(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    const inbox = createInbox({ database: database(), source: 'webhook', ordered: 'subject' })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const data = { provider: 'hook-labs' }
    const started = fixture('outage_started', { id: 'evt_hook_started', data })
    const resolved = fixture('outage_resolved', { id: 'evt_hook_resolved', data })
    await inbox.acceptPage([started, resolved], { stream: 'test', cursor: null })
    await inbox.drain(await createIncidents({ database: database(), chat: createWebhook(url) }))
    const thread = posted[0]?.body.id
    expect(posted.map(({ body }) => [body.action, body.threadId ?? null])).toEqual([
      ['post', null],
      ['post', thread],
      ['edit', null],
    ])
    expect(posted[2]?.body).toMatchObject({ id: thread, message: { state: 'resolved' } })
    expect(new Set(posted.map(({ key }) => key)).size).toBe(3)
  })

  function newProvider() {
    providers += 1
    const provider = `provider-${providers}`
    const { control } = sandbox().sandbox
    type Draft = NonNullable<Parameters<typeof control.composeEvent>[0]>
    const publish = (eventType: string, draft: Draft) =>
      control.composeEvent({ providerSlug: provider, eventType, ...draft })
    return { provider, publish }
  }

  /** The messages about a provider, whose name is in each. */
  function threadOf(provider: string) {
    return slack().messages.filter(({ texts }) => texts[0]?.includes(` ${provider}: `))
  }

  async function deliver(event: FeedEvent): Promise<void> {
    await using sender = createSender({ secret })
    expect(await sender.attempt(event, { to: app.url })).toMatchObject({ status: 202 })
    await app.untilHandled()
  }
})

describe('an incident', () => {
  const incident: Incident = { id: 'i', provider: 'p', subject: 's', thread: null, steps: [] }
  const stepAt = (phase: Phase, data: Partial<FeedEvent['data']> = {}) =>
    stepOf(fixture('outage_updated', { id: `evt_${phase}`, data }), phase)

  it('keeps the order of events of the same millisecond when one is corrected', () => {
    const started = stepAt('started')
    const steps = [started, stepAt('updated'), stepAt('resolved')]
    const whole = steps.reduce(withStep, incident)
    const corrected = { ...started, title: 'Corrected' }
    expect(withStep(whole, corrected).steps).toEqual([corrected, ...steps.slice(1)])
  })

  it('is over if its start arrives after an end of the same millisecond', () => {
    const whole = [stepAt('resolved'), stepAt('started')].reduce(withStep, incident)
    expect(summaryOf(whole)).toMatchObject({ state: 'resolved', first: { phase: 'started' } })
  })

  it('says nothing of an early signal once an event is confirmed', () => {
    const rumour = stepAt('updated', { confirmation: 'unconfirmed', summary: 'All data is lost.' })
    const whole = [stepAt('started', { summary: 'Errors.' }), rumour].reduce(withStep, incident)
    expect(threadMessage(whole)).toMatchObject({ state: 'open', text: 'Errors.' })
  })
})

function withoutTime(text: string): string {
  return text.replace(/<!date[^>]*>/, '…')
}
