import type { CheckGroup } from './check.ts'
import { accepted, judgeEach, turnedAway } from './verdict.ts'

/** The window of 300 s around the clock of the receiver, on both sides (R173). */
export const clockChecks: CheckGroup = {
  title: 'Clock',
  pace: 'together',
  checks: [
    {
      name: 'late',
      title: 'Turns away a delivery signed 20 minutes ago',
      why: 'A captured delivery could be replayed at any later time.',
      fix:
        'Compare t with your clock once the signature holds, and answer 503 where they are more ' +
        'than 300 s apart: a wrong clock then costs attempts, where a 401 would pause the feed.',
      run: async ({ deliver, makeEvent }) =>
        turnedAway(await deliver(makeEvent(), { offsetSeconds: -1_200 })),
    },
    {
      name: 'future',
      title: 'Turns away a delivery signed 20 minutes ahead',
      why: 'A delivery that is signed ahead can be replayed until its time has come and gone.',
      fix:
        'Compare the absolute difference of t and your clock: several libraries look only at ' +
        'the past.',
      run: async ({ deliver, makeEvent }) =>
        turnedAway(await deliver(makeEvent(), { offsetSeconds: 1_200 })),
    },
    {
      name: 'within_window',
      title: 'Accepts deliveries signed 4 minutes ago and ahead',
      why: 'Clocks drift, and deliveries wait in queues; the window is 300 s on both sides.',
      fix:
        'Allow 300 s, in seconds and not in milliseconds, and keep the clock of the machine ' +
        'right.',
      run({ deliver, makeEvent }) {
        const deliveries = {
          '240 s ago': deliver(makeEvent(), { offsetSeconds: -240 }),
          '240 s ahead': deliver(makeEvent(), { offsetSeconds: 240 }),
        }
        return judgeEach(deliveries, accepted)
      },
    },
  ],
}
