import type { CheckGroup } from './check.ts'
import { deliverAtOnce } from './deliver-at-once.ts'
import { accepted, judgeAll, judgeEach, notPausing, type Verdict } from './verdict.ts'
import type { Answer } from './send-request.ts'

/** The same event again, as "at least once" promises (R175). */
export const duplicateChecks: CheckGroup = {
  title: 'Duplicates',
  pace: 'in_turn',
  checks: [
    {
      name: 'duplicates_in_turn',
      title: 'Accepts the same event three times, one after the other',
      why:
        'Deliveries come at least once. Whoever refuses a duplicate has it sent again, or the ' +
        'feed paused.',
      fix: 'Answer a duplicate with 2xx: what the sender asks is whether you have the event.',
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        const answers: Answer[] = []
        for (let time = 1; time <= 3; time += 1) answers.push(await deliver(event))
        return judgeAll(answers, accepted)
      },
    },
    {
      name: 'duplicates_at_once',
      title: 'Accepts the same event fifty times at once',
      why:
        'Retries overlap with slow answers. Two inserts that race end in a unique violation, ' +
        'and that in a 500.',
      fix:
        'Insert with "on conflict do nothing" under a unique constraint, and answer 2xx ' +
        'whoever came first.',
      async run(target) {
        const answers = await deliverAtOnce(target, target.makeEvent())
        return judgeAll(answers, acceptedOrBusy)
      },
    },
    {
      name: 'same_id_other_bytes',
      title: 'Does not pause the feed over a known id with other bytes',
      why:
        'An id is stable; other bytes under it are for an operator to look at, and no reason ' +
        'to stop the feed.',
      fix: 'Keep the second body aside and answer 202.',
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        const first = await deliver(event)
        const other = { ...event, data: { ...event.data, summary: 'Other bytes' } }
        return judgeEach({ first, 'other bytes': deliver(other) }, notPausing)
      },
    },
    {
      name: 'event_id_header_missing',
      title: 'Does not pause the feed over a missing Feed-Event-Id',
      why: 'The header is not signed and a proxy may drop it; the id is in the signed body.',
      fix: 'Take the id from the verified body alone.',
      async run({ deliver, makeEvent }) {
        const headers = { 'Feed-Event-Id': undefined, 'Idempotency-Key': undefined }
        return notPausing(await deliver(makeEvent(), { headers }))
      },
    },
    {
      name: 'event_id_header_differs',
      title: 'Does not pause the feed over a Feed-Event-Id that differs',
      why: 'Only the body is signed. Whoever can set the header could stop the feed with it.',
      fix:
        'Take the id from the verified body, and keep the delivery aside where the header ' +
        'differs.',
      async run({ deliver, makeEvent }) {
        const headers = { 'Feed-Event-Id': makeEvent().id }
        return notPausing(await deliver(makeEvent(), { headers }))
      },
    },
  ],
}

// Being told to come back later is what the interface has 429 for.
function acceptedOrBusy(answer: Answer): Verdict {
  const { outcome, seen } = accepted(answer)
  return { outcome: answer.status === 429 ? 'warning' : outcome, seen }
}
