import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { slowEntriesDown, storeEntries } from '../../../../test/support/slow-entries.ts'
import { createInbox, type EntryFilter, type Inbox } from '../index.ts'

describe('a search that would take too long', () => {
  const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await storeEntries(database())
  }, 60_000)

  const never: EntryFilter = { type: 'type_0', provider: 'provider-1' }

  it('reports no match after it has read everything', async () => {
    expect(await inbox.entries.list({ ...never, since: '2026-01-01T08:00:00Z' })).toEqual({
      entries: [],
      next: null,
      searchedBackTo: null,
    })
  })

  describe('on a cold disk', () => {
    beforeAll(() => slowEntriesDown(database()))

    const pages = async ({ entries }: Inbox) => {
      const seen = []
      let after: number | undefined
      for (;;) {
        const page = await entries.list({ ...never, after })
        seen.push([page.entries.map(({ eventId }) => eventId), page.searchedBackTo])
        if (page.next === null) return seen
        after = page.next
      }
    }

    it('continues page by page, reports its progress, and finds old entries', async () => {
      expect(await pages(inbox)).toEqual([
        [[], '2026-01-01T11:06:41.000000Z'],
        [[], '2026-01-01T05:33:21.000000Z'],
        [['evt_4000'], '2026-01-01T00:00:01.000000Z'],
        [[], null],
      ])
    }, 60_000)

    it('counts matches so far, and says that the count is incomplete', async () => {
      expect(await inbox.entries.count(never)).toEqual({
        count: 0,
        isExact: false,
      })
    }, 60_000)
  })
})
