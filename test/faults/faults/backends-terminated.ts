import type { Fault } from '../fault.ts'

const terminate = `select count(*) filter (where pg_terminate_backend(pid))::int as ended
  from pg_stat_activity where datname = current_database() and application_name ~ '^(receiver|worker)'`

export const backendsTerminated: Fault = {
  name: 'backends-terminated',
  describe: 'every connection of the programs is ended by pg_terminate_backend',
  kind: 'other',
  holds: ['database'],
  async inject({ sql }) {
    const [row] = await sql<{ ended: number }>(terminate)
    if (!row || row.ended === 0) throw new Error('there was no backend to end')
    return `${row.ended} backends were terminated`
  },
}
