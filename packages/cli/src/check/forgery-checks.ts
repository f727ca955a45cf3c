import type { CheckGroup } from './check.ts'
import { judgeEach, refused } from './verdict.ts'

const why = 'Whoever knows the URL could put events into the feed.'
const fix =
  'Compute the HMAC over "<t>." and the raw body, compare all 64 digits in constant time, and ' +
  'answer 401 before anything else is done with the body.'

/** Deliveries that nobody with the secret has signed as they are; any 4xx refuses them. */
export const forgeryChecks: CheckGroup = {
  title: 'Forgeries',
  pace: 'in_turn',
  checks: [
    {
      name: 'tampered_body',
      title: 'Refuses a body that was changed after signing',
      why,
      fix,
      run({ deliver, makeEvent }) {
        const tampered = (tamper: (body: Buffer) => Uint8Array) => deliver(makeEvent(), { tamper })
        const forgeries = {
          'another title': tampered(changeTitle),
          'one byte less': tampered((body) => body.subarray(0, -1)),
          'one byte more': tampered((body) => Buffer.concat([body, lineEnd])),
          'an empty body': tampered(() => Buffer.alloc(0)),
        }
        return judgeEach(forgeries, refused)
      },
    },
    {
      name: 'tampered_time',
      title: 'Refuses a time that was changed after signing',
      why: 'A captured delivery could be given a fresh time and replayed for ever.',
      fix: 'Sign "<t>." together with the body, with the t of the header.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent(), {
          offsetSeconds: -60,
          forge: ({ timestampSeconds, hex }) => `t=${timestampSeconds + 60},v1=${hex}`,
        })
        return refused(answer)
      },
    },
    {
      name: 'wrong_secret',
      title: 'Refuses the signature of another secret',
      why,
      fix,
      async run({ deliver, makeEvent }) {
        return refused(await deliver(makeEvent(), { secret: 'feed_whsec_of_nobody_at_all' }))
      },
    },
  ],
}

const lineEnd = Buffer.of(10)

function changeTitle(body: Buffer): Buffer {
  const changed = body.toString().replace('to be ignored', 'to be heeded')
  return Buffer.from(changed)
}
