import { openDatabase, type Queryable } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { createRequestJournal, listRequests, type RequestRecord } from './request-journal.ts'

function record(path: string): RequestRecord {
  const none = { reason: null, detail: null, accountId: null, keyDisplay: null }
  return { method: 'GET', path, status: 200, charged: false, ...none }
}

describe('the journal of requests', () => {
  const made = useSandbox({ historyDays: 0 })

  function open() {
    const database = openDatabase(made().options.database ?? '')
    onTestFinished(() => database.close())
    return database
  }

  it('stores earlier requests while new ones arrive', async () => {
    const database = open()
    let isBusy = true
    const busy: Queryable = {
      async query(text: string, values?: readonly unknown[]) {
        if (isBusy) journal.add(record('/later'))
        return await database.query(text, values)
      },
    }
    const errors: unknown[] = []
    const journal = createRequestJournal(busy, (error) => errors.push(error))
    journal.add(record('/first'))
    await journal.flush()
    isBusy = false
    await journal.flush()
    const paths = (await listRequests(database)).map(({ path }) => path)
    expect(paths).toContain('/first')
    expect(errors).toEqual([])
  })

  it('stores later requests after a batch failed', async () => {
    const database = open()
    let isAway = true
    const failing: Queryable = {
      async query(text: string, values?: readonly unknown[]) {
        if (!isAway) return await database.query(text, values)
        isAway = false
        await database.query('select 1')
        journal.add(record('/after'))
        throw new Error('away')
      },
    }
    const errors: unknown[] = []
    const journal = createRequestJournal(failing, (error) => errors.push(error))
    journal.add(record('/lost'))
    const isKept = async () => (await listRequests(database)).some(({ path }) => path === '/after')
    await expect.poll(isKept).toBe(true)
    expect(errors).toMatchObject([{ message: 'away' }])
  })
})
