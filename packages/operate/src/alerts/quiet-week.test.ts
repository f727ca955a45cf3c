import { expect, it } from 'vitest'
import { describeOnEach, useDatabase } from '../../../../test/support/databases.ts'
import { day, minute, openAlertWorld } from '../../test/alert-world.ts'
import { live, planTraffic } from '../../test/ordinary-traffic.ts'

const isFullSize = process.env.TEST_FULL_SIZE !== undefined
const monday = Date.parse('2026-11-09T00:00:00Z')

describeOnEach('on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  // The embedded database runs statements more slowly. The slow tests check as often as workers do.
  const step = (kind === 'postgres' ? 1 : 10) * (isFullSize ? minute : 10 * minute)

  it('opens no alert in a week of ordinary traffic', async () => {
    await using world = await openAlertWorld(database(), 'week')
    const rotatedAt = monday + 2 * day
    const plan = planTraffic({ from: monday - 7 * day, weeks: 2, rotatedAt, seed: 20_261_109 })
    let rest = await live(world, plan, monday)
    for (let at = monday; at < monday + 7 * day; at += step) {
      rest = await live(world, rest, at)
      await world.check(at)
    }
    expect(world.sent).toEqual([])
    // The traffic must exist, or this test would always pass.
    const stored = plan.flatMap(({ store }) => store ?? []).length
    const { rows } = await world.query(
      `select count(*)::int as entries, count(distinct signed_by)::int as secrets,
         count(*) filter (where push_count > 1) > 0 as "hasRepeats"
       from feed_inbox.entry where source = $1`,
    )
    expect(rows).toEqual([{ entries: stored, secrets: 2, hasRepeats: true }])
  }, 600_000)
})
