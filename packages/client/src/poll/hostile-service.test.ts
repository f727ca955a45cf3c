import { describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { meetHostileService, mostInAnHour } from '../../test/hostile-service.ts'
import { pollerSetup } from '../../test/poller-setup.ts'

describe('with a service that answers at random, a poller', () => {
  const setUp = pollerSetup(useDatabase('postgres', 'inbox'))

  it.each(['tail', 'replay'] as const)(
    'loses and repeats no event, and keeps to the limits of the service: first cursor %s [R119, R222]',
    async (firstCursor) => {
      const seed = `hostile ${firstCursor}`
      const { published, mostRequests, ...seen } = await meetHostileService(setUp, {
        seed,
        firstCursor,
      })
      expect(seen).toEqual({ handled: published, errors: [] })
      expect(mostRequests).toBeLessThan(mostInAnHour)
    },
  )
})
