import { createClient } from '@feed-receiver/client'
import { expect, it } from 'vitest'
import { createModelWatch, findModels } from '../../../templates/recipes/model-watch/index.ts'
import { syncDeprecations } from '../../../templates/recipes/model-watch/sync-deprecations.ts'
import { describeOnEach, embedded } from '../../support/databases.ts'
import { useReceivingApp } from './receive-feed.ts'

describeOnEach('the recipe model-watch, on %s,', (kind) => {
  const { sandbox, database, app } = useReceivingApp(kind, createModelWatch)

  it('follows a model by push and pull, with corrections and retractions', embedded, async () => {
    const { control } = sandbox().sandbox
    const released = await publish('model_release', 'northwind-ai', 'zephyr-9')
    await app().untilHandled()
    expect(await statesOf('zephyr-9')).toEqual(['northwind-ai: released'])
    const removed = await publish('model_removed', 'northwind-ai', 'zephyr-9')
    await app().untilHandled({ pulls: true })
    expect(await findModels(database(), 'zephyr-9')).toMatchObject([
      { state: 'removed', since: new Date(removed.firstObservedAt), sourceUrl: removed.sourceUrl },
    ])
    await control.changeEvent({ to: 'retract', id: removed.id })
    await app().untilHandled({ pulls: true })
    expect(await statesOf('zephyr-9')).toEqual(['northwind-ai: released'])
    const content = { subjectKey: 'northwind-ai/zephyr-9-mini' }
    await control.changeEvent({ to: 'correct', id: released.id, content })
    await app().untilHandled({ pulls: true })
    expect([await statesOf('zephyr-9'), await statesOf('zephyr-9-mini')]).toEqual([
      [],
      ['northwind-ai: released'],
    ])
  })

  it('has no early signal until it is confirmed', async () => {
    const draft = { confirmationState: 'unconfirmed' } as const
    const { id } = await publish('api_model_listed', 'tessera', 'mosaic-9', draft)
    await app().untilHandled({ pulls: true })
    expect(await statesOf('mosaic-9')).toEqual([])
    await sandbox().sandbox.control.changeEvent({ to: 'confirm', id })
    await app().untilHandled({ pulls: true })
    expect(await statesOf('mosaic-9')).toEqual(['tessera: listed'])
  })

  it('adds the dates and replacements that only MCP has', embedded, async () => {
    const { sandbox: service, key } = sandbox()
    const documented = { evidenceState: 'documented' }
    await publish('model_deprecated', 'northwind-ai', 'zephyr-3', documented)
    await publish('model_deprecated', 'tessera', 'mosaic-0', documented)
    await app().untilHandled()
    const client = createClient({ baseUrl: service.url, apiKey: key })
    await using tools = await client.mcp()
    await syncDeprecations(database(), tools)
    await syncDeprecations(database(), tools)
    expect(await findModels(database(), 'zephyr-3')).toMatchObject([
      { state: 'deprecated', effectiveAt: expect.any(Date), replacements: ['zephyr-4'] },
    ])
    expect(await findModels(database(), 'mosaic-0')).toMatchObject([
      { state: 'deprecated', effectiveAt: null, replacements: [] },
    ])
  })

  it('names each provider that has a model of one id', async () => {
    await publish('model_release', 'northwind-ai', 'embed-9')
    await publish('model_removed', 'lumen-labs', 'embed-9')
    await app().untilHandled()
    const states = await statesOf('embed-9')
    expect(states).toEqual(['lumen-labs: removed', 'northwind-ai: released'])
  })

  async function publish(
    eventType: string,
    providerSlug: string,
    model: string,
    draft: { confirmationState?: 'unconfirmed'; evidenceState?: string } = {},
  ) {
    const subject = { subjectType: 'model', subjectKey: `${providerSlug}/${model}` }
    return await sandbox().sandbox.control.composeEvent({
      eventType,
      providerSlug,
      ...subject,
      ...draft,
    })
  }

  async function statesOf(model: string): Promise<string[]> {
    const found = await findModels(database(), model)
    return found.map(({ provider, state }) => `${provider}: ${state}`)
  }
})
