import type { Fault } from '../fault.ts'

export const rollingRestart: Fault = {
  name: 'rolling-restart',
  describe: 'receivers and workers are terminated (SIGTERM) and replaced, one after the other',
  kind: 'other',
  holds: ['receivers', 'workers', 'database'],
  async inject({ receivers, workers }) {
    const seen: string[] = []
    for (const member of [...receivers, ...workers]) {
      const replaced = member.replaced(0)
      member.signal('SIGTERM')
      const { oldPid, newPid } = await replaced
      seen.push(`${member.name} exited with 0, pid ${oldPid} became ${newPid}`)
    }
    return seen.join('; ')
  },
}
