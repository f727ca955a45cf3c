import { createClient } from '@feed-receiver/client'
import { describe, expect, it } from 'vitest'
import { describedAnswers } from '../../packages/sandbox/test/described-answers.ts'
import { useSandbox } from '../../packages/sandbox/test/use-sandbox.ts'

describe('an end-to-end run of the client with the sandbox', () => {
  const made = useSandbox({ historyDays: 5 })

  it('gets only responses that the OpenAPI document describes [R139]', async () => {
    const { sandbox, get, key } = made()
    const { control, url } = sandbox
    const check = describedAnswers((await get('/v1/schema.json')).body)
    // The client would wait for the next month.
    const afterLimit = new AbortController()
    const differing: string[] = []
    const seen: Record<string, number> = {}
    const recorded: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const described = pathname.replace(/(account-events\/).+/, '$1{eventRef}')
      const { status, headers } = answer
      differing.push(...check(described, { status, headers, body: await answer.clone().json() }))
      seen[`${described} ${status}`] = (seen[`${described} ${status}`] ?? 0) + 1
      if (status === 429) afterLimit.abort()
      return answer
    }
    const options = { baseUrl: url, fetch: recorded, maxAttempts: 1, onWarning: () => undefined }
    const client = createClient({ ...options, apiKey: key })

    const first = await client.eventPage({ confirmation: 'all', limit: 200 })
    const composed = await control.composeEvent({ confirmationState: 'unconfirmed' })
    await control.changeEvent({ to: 'confirm', id: composed.id })
    await control.changeEvent({ to: 'correct', id: composed.id, content: { title: 'Other' } })
    await control.composeEvent({ eventType: 'outage_started' })
    await control.composeEvent({ eventType: 'benchmark_rank_changed' })
    await control.composeEvent({ eventType: 'of_a_later_day' })
    await control.changeEvent({ to: 'retract', id: composed.id })
    const ids: string[] = []
    const news = client.events({ confirmation: 'all', cursor: first.cursor, limit: 1 })
    for await (const event of news) ids.push(event.id)
    expect(ids).toContain(composed.id)
    for (const type of ['outage', 'model_release', 'nothing']) await client.eventPage({ type })

    await control.composeAccountEvent({ accountId: 'acct_sandbox' })
    const refs: string[] = []
    for await (const { eventRef } of client.accountEvents({ limit: 5 })) refs.push(eventRef)
    await control.changeAccountEvent({ to: 'retract', eventRef: refs[0] ?? '' })
    await control.changeAccountEvent({ to: 'correct', eventRef: refs[1] ?? '', content: {} })
    for (const eventRef of refs.slice(0, 3)) await client.accountEvent(eventRef)

    const asStranger = createClient({ ...options, apiKey: `${key}x` })
    await rejected(() => asStranger.eventPage())
    await rejected(() => asStranger.accountEventPage())
    await rejected(() => client.eventPage({ cursor: 'x' }))
    await rejected(() => client.accountEvent(`event_${'0'.repeat(48)}`))
    const change = { id: 'acct_sandbox' }
    await control.changeAccount({ ...change, privateActivity: false })
    await rejected(() => client.accountEventPage())
    await control.changeAccount({ ...change, proActive: false })
    await rejected(() => client.eventPage())
    await control.changeAccount({ ...change, proActive: true, usageLimit: 1 })
    await rejected(() => client.eventPage({ signal: afterLimit.signal }))

    expect(differing).toEqual([])
    expect(Object.keys(seen).toSorted()).toEqual([
      '/v1/account-events 200',
      '/v1/account-events 401',
      '/v1/account-events 404',
      '/v1/account-events/{eventRef} 200',
      '/v1/account-events/{eventRef} 404',
      '/v1/events 200',
      '/v1/events 400',
      '/v1/events 401',
      '/v1/events 403',
      '/v1/events 429',
    ])
  })
})

async function rejected(ask: () => Promise<unknown>): Promise<void> {
  await expect(ask()).rejects.toBeInstanceOf(Error)
}
