import { expect, it } from 'vitest'
import { pricesToCsv } from '../../../templates/recipes/price-history/csv.ts'
import { createPriceHistory } from '../../../templates/recipes/price-history/index.ts'
import { describeOnEach, embedded } from '../../support/databases.ts'
import { useReceivingApp } from './receive-feed.ts'

describeOnEach('the recipe price-history, on %s,', (kind) => {
  const { sandbox, database, app } = useReceivingApp(kind, createPriceHistory)

  it(
    'keeps each change once, with corrections, retractions and early signals',
    embedded,
    async () => {
      const { control } = sandbox().sandbox
      const first = await control.composeEvent({
        eventType: 'pricing_changed',
        providerSlug: 'one',
        title: 'Cheaper',
      })
      const second = await control.composeEvent({
        eventType: 'pricing_update',
        providerSlug: 'one',
        title: 'Dearer',
      })
      await control.composeEvent({
        eventType: 'pricing_update',
        providerSlug: 'one',
        title: '\t=1+1',
        confirmationState: 'unconfirmed',
      })
      await app().untilHandled({ pulls: true })
      await control.changeEvent({ to: 'correct', id: first.id, content: { title: '-cmd' } })
      await control.changeEvent({ to: 'retract', id: second.id })
      await app().untilHandled({ pulls: true })
      await app().inbox.entries.reprocess({ filter: { provider: 'one' } })
      await app().untilHandled()
      const csv = await pricesToCsv(database(), { provider: 'one' })
      const rows = csv.split('\r\n').slice(1, -1)
      expect(
        rows.map((row) =>
          /one,[^,]*,([^,]*),.*,(early signal|confirmed|retracted),/.exec(row)?.slice(1),
        ),
      ).toEqual([
        [`"'-cmd"`, 'confirmed'],
        ['Dearer', 'retracted'],
        [`"'\t=1+1"`, 'early signal'],
      ])
      expect(rows[0]).toContain(first.sourceUrl)
    },
  )
})
