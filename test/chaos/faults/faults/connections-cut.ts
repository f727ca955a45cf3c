import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'

export const connectionsCut: Fault = {
  name: 'connections-cut',
  describe: 'every TCP connection to the database is reset',
  promise: 'Every process connects again by itself.',
  kind: 'other',
  holds: ['database'],
  async inject({ databaseWire }) {
    // Another fault may just have ended all of them.
    const count = await until('a connection to reset', () => databaseWire.cut() || false)
    return `${count} connections were reset`
  },
}
