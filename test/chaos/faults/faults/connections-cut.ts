import type { Fault } from '../fault.ts'

export const connectionsCut: Fault = {
  name: 'connections-cut',
  describe: 'every TCP connection to the database is reset',
  promise: 'Every process connects again by itself.',
  kind: 'other',
  holds: ['database'],
  async inject({ databaseWire }) {
    const count = databaseWire.cut()
    if (count === 0) throw new Error('there was no connection to reset')
    return `${count} connections were reset`
  },
}
