import { createInbox } from '@feed-receiver/inbox'
import { fixture, fixtures } from '@feed-receiver/sender'
import { PgBoss } from 'pg-boss'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startRecipes, stopRecipes } from '../../../templates/recipes/index.ts'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { describeOnEach, embedded, useDatabase } from '../../support/databases.ts'

describeOnEach('all recipes in one app, on %s,', (kind) => {
  const database = useDatabase(kind, 'inbox')

  it('handle every type of event in one transaction, with those of the app', embedded, async () => {
    vi.spyOn(console, 'log').mockReturnValue()
    const inbox = createInbox({ database: database(), ordered: 'subject' })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    await database().query('create table own (event_id text primary key)')
    const handlers = await startRecipes(inbox, {
      outage_started: ({ id }, { tx }) => tx.query('insert into own values ($1)', [id]),
    })
    onTestFinished(stopRecipes)
    // PostgreSQL stores no zero byte in a text, and a pushed event may have some.
    const data = { provider: 'zero\0labs', subject: { type: 'model', key: 'zero\0' } }
    const odd = (['model_release', 'pricing_changed', 'outage_started'] as const).map((type) =>
      fixture(type, { id: `evt_zero_${type}`, data }),
    )
    await inbox.acceptPage(fixtures, { stream: 'test', cursor: null })
    for (const event of odd) await inbox.accept(deliveryOf(event))
    const events = [...fixtures, ...odd]
    // A test delivery reaches no handler.
    const count = events.filter(({ type }) => type !== 'destination_test').length
    expect(await inbox.drain(handlers)).toMatchObject({ failed: 0 })
    expect((await inbox.entries.count({ state: 'done' })).count).toBe(count)
    const { rows } = await database().query(
      `select (select count(*) from own) as own, (select count(*) from digest.item) as items,
         (select sum(jsonb_array_length(steps)) from incidents.incident) as steps, (select count(*) from model_watch.fact) as facts,
         (select count(*) from price_history.change) as changes`,
    )
    const byType = (pattern: RegExp) => events.filter(({ type }) => pattern.test(type)).length
    expect(rows).toEqual([
      {
        own: byType(/^outage_started$/),
        items: count,
        steps: byType(/^outage_/),
        facts: byType(/^(?:model_re|api_model)/),
        changes: byType(/^pricing_/),
      },
    ])
  })

  it('leave no worker behind if one of them cannot start', async () => {
    const inbox = createInbox({ database: database(), source: 'failing' })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const [start, stop] = [vi.spyOn(PgBoss.prototype, 'start'), vi.spyOn(PgBoss.prototype, 'stop')]
    onTestFinished(() => void vi.restoreAllMocks())
    const own = { model_release: 'no function' } as never
    await expect(startRecipes(inbox, own)).rejects.toThrow('must be a function')
    const started = new Set(start.mock.contexts)
    expect(stop.mock.contexts.filter((boss) => started.has(boss))).toHaveLength(1)
  })
})
