import type { CheckGroup } from './check.ts'
import { accepted, judgeEach, notRun } from './verdict.ts'

/** Rotation, in which the service changes from one secret to the next within 24 hours (R203). */
export const rotationChecks: CheckGroup = {
  title: 'Rotation',
  pace: 'in_turn',
  checks: [
    {
      name: 'rotation',
      title: 'Accepts the signatures of either of two secrets',
      why: 'The old secret signs for 24 hours more; with only one deployed, a 401 pauses the feed.',
      fix:
        'Try every configured secret, and remove the old one only after a delivery that the ' +
        'new one signed.',
      async run({ deliver, makeEvent, secondSecret }) {
        if (secondSecret === undefined) return notRun('It needs a second secret.')
        const deliveries = {
          'the first secret': deliver(makeEvent()),
          'the second secret': deliver(makeEvent(), { secret: secondSecret }),
        }
        return judgeEach(deliveries, accepted)
      },
    },
  ],
}
