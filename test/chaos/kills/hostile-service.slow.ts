import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { meetHostileService, mostInAnHour } from '../../../packages/client/test/hostile-service.ts'
import { pollerSetup } from '../../../packages/client/test/poller-setup.ts'
import { useDatabase } from '../../support/databases.ts'

/** `FAULT_SEED=<seed>` repeats a run. */
const { FAULT_SEED = `${Date.now()}` } = process.env
const rounds = 5
const mebibyte = 2 ** 20

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('with a service that answers at random for days, a poller', () => {
  const setUp = pollerSetup(useDatabase('postgres', 'inbox'))

  it.each(['tail', 'replay'] as const)(
    `loses and repeats no event, and does not grow: first cursor %s, FAULT_SEED=${FAULT_SEED}`,
    async (firstCursor) => {
      const heap: number[] = []
      const onRound = () => {
        collect()
        heap.push(process.memoryUsage().heapUsed / mebibyte)
      }
      const seed = `${FAULT_SEED} ${firstCursor}`
      const options = { seed, firstCursor, rounds, onRound }
      const { published, mostRequests, ...seen } = await meetHostileService(setUp, options)
      expect(seen).toEqual({ handled: published, errors: [] })
      expect(mostRequests).toBeLessThan(mostInAnHour)
      const [, early = 0] = heap
      expect((heap.at(-1) ?? 0) - early).toBeLessThan(8)
    },
  )
})
