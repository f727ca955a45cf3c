import { countRows } from '../count-rows.ts'
import type { Fault } from '../fault.ts'
import { chooseOperator } from './choose-member.ts'

const hourMs = 3_600_000

export const alertsKilled: Fault = {
  name: 'alerts-killed',
  describe: 'a process is killed while it sends an alert, and the next one sends it',
  kind: 'other',
  holds: ['operator'],
  async inject(world, { random }) {
    const { sql } = world
    const operator = chooseOperator(world)
    const subject = `nothing_${random.below(2 ** 32)}`
    await operator.send({ pause: [subject] })
    // A pause is reported after a day, and again half a minute after a kill.
    const hoursAhead = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()
    const dieSending = random.pick(['before', 'after'] as const)
    const replaced = operator.replaced('SIGKILL')
    void operator.send({ checkAlertsAt: hoursAhead(25), dieSending }).catch(() => undefined)
    const { oldPid, newPid } = await replaced
    for (const hours of [26, 27]) await operator.send({ checkAlertsAt: hoursAhead(hours) })
    await operator.send({ resume: [subject] })
    for (const hours of [28, 29]) await operator.send({ checkAlertsAt: hoursAhead(hours) })

    const told = await sql<{ key: string }>('select key from told where subject = $1 order by at', [
      subject,
    ])
    const states = told.map(({ key }) => key.split('/').at(-1)).join(', ')
    const expected = dieSending === 'before' ? 'open, closed' : 'open, open, closed'
    const alerts = await countRows(world, 'select from feed_inbox.alert where subject = $1', [
      subject,
    ])
    if (alerts !== 1 || states !== expected) {
      throw new Error(`${alerts} alerts of ${subject} were sent as ${states}, not ${expected}`)
    }
    return `pid ${oldPid} became ${newPid} ${dieSending} it sent an alert, which was sent as ${states}`
  },
}
