import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const terminate = `select count(*) filter (where pg_terminate_backend(pid))::int as ended
  from pg_stat_activity where datname = current_database() and application_name ~ '^(receiver|worker)'`

export const backendsTerminated: Fault = {
  name: 'backends-terminated',
  describe: 'every connection of the programs is ended by pg_terminate_backend',
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    const endAll = async () => {
      const [row] = await world.sql<{ ended: number }>(terminate)
      return row && row.ended > 0 && row.ended
    }
    const ended = await withTraffic(world, () => until('there is a backend to end', endAll))
    return `${ended} backends were terminated`
  },
}
