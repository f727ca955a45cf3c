import type { Fault } from '../fault.ts'

export const connectionsCut: Fault = {
  name: 'connections-cut',
  describe: 'every TCP connection to the database is reset',
  kind: 'other',
  holds: ['database'],
  async inject({ databaseProxy }) {
    const count = databaseProxy.cut()
    if (count === 0) throw new Error('there was no connection to reset')
    return `${count} connections were reset`
  },
}
