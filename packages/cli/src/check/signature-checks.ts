import type { CheckGroup } from './check.ts'
import { malformedSignatures, laxSignatures } from './forged-signatures.ts'
import { accepted, judgeEach, refused, refusedOrLax } from './verdict.ts'

const forgery = 'Whoever knows the URL could put events into the feed.'
const compare =
  'Compute the HMAC over "<t>." and the raw body, compare all 64 digits in constant time, and answer 401 before anything else is done with the body.'

/** Forged deliveries, which any 4xx refuses, and genuine ones in a form that the interface leaves room for. */
export const signatureChecks: CheckGroup = {
  title: 'Signatures',
  pace: 'in_turn',
  checks: [
    {
      name: 'tampered_body',
      title: 'Refuses a body that was changed after signing',
      why: forgery,
      fix: compare,
      async run({ deliver, makeEvent }) {
        const other = Buffer.from('A changed conformance check')
        const answers = await Promise.all([
          deliver(makeEvent(), { tamper: (body) => replaceTitle(body, other) }),
          deliver(makeEvent(), { tamper: (body) => body.subarray(0, -1) }),
          deliver(makeEvent(), { tamper: (body) => Buffer.concat([body, Buffer.from('\n')]) }),
          deliver(makeEvent(), { tamper: () => Buffer.alloc(0) }),
        ])
        const labels = ['other title', 'one byte less', 'one byte more', 'empty']
        return judgeEach(
          answers.map((answer, index) => [labels[index] ?? '', answer]),
          refused,
        )
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
      why: forgery,
      fix: compare,
      async run({ deliver, makeEvent }) {
        return refused(await deliver(makeEvent(), { secret: 'feed_whsec_of_nobody_at_all' }))
      },
    },
    {
      name: 'signature_missing',
      title: 'Refuses a delivery without a signature',
      why: forgery,
      fix: 'Answer 401 where Feed-Signature is missing or empty.',
      async run({ deliver, makeEvent }) {
        const [missing, empty] = await Promise.all([
          deliver(makeEvent(), { forge: () => undefined }),
          deliver(makeEvent(), { forge: () => '' }),
        ])
        return judgeEach(
          [
            ['no header', missing],
            ['empty header', empty],
          ],
          refused,
        )
      },
    },
    {
      name: 'signature_malformed',
      title: 'Refuses a header that is not of the form',
      why: 'A parser that trips over a header answers 500 or ends the process, for anybody who sends one.',
      fix: 'Match the whole header with one pattern, and answer 401 where it does not fit.',
      run: (target) => malformedSignatures(target, refused),
    },
    {
      name: 'signature_upper_case',
      title: 'Refuses a v1 in upper case',
      why: 'v1 is 64 lowercase hex digits. A laxer comparison takes more spellings than were signed.',
      fix: 'Match v1 with [0-9a-f]{64}, without the flag that ignores case.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent(), {
          forge: ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex.toUpperCase()}`,
        })
        return refused(answer)
      },
    },
    {
      name: 'signature_cut',
      title: 'Refuses a v1 that is only the beginning of the right one, or more than it',
      why: 'Where only the beginning counts, a forger has a few digits to guess.',
      fix: 'Demand exactly 64 digits before comparing; decoders of hex drop what they do not like.',
      async run({ deliver, makeEvent }) {
        const cut = (change: (hex: string) => string) =>
          deliver(makeEvent(), {
            forge: ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${change(hex)}`,
          })
        const answers = await Promise.all([
          cut((hex) => hex.slice(0, 8)),
          cut((hex) => hex.slice(0, 63)),
          cut((hex) => `${hex}0`),
          cut((hex) => `${hex}zz`),
          cut(() => ''),
        ])
        const labels = ['8 digits', '63 digits', '65 digits', 'letters behind it', 'nothing']
        return judgeEach(
          answers.map((answer, index) => [labels[index] ?? '', answer]),
          refused,
        )
      },
    },
    {
      name: 'signature_time_form',
      title: 'Refuses a t that is no plain number',
      why: 'One instant with many spellings is one that two parts of a program read differently.',
      fix: 'Match t with (0|[1-9][0-9]*), and sign the very text that the header has.',
      run: (target) => laxSignatures(target, refusedOrLax),
    },
    {
      name: 'signature_doubled',
      title: 'Refuses two signature headers',
      why: 'Two headers have two times, and nothing says which one was checked.',
      fix: 'Refuse a repeated Feed-Signature; most servers join the two with a comma and a space.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent(), {
          forge: ({ timestampSeconds, hex }) => [
            `t=${timestampSeconds},v1=${hex}`,
            `t=${timestampSeconds - 1},v1=${'ab'.repeat(32)}`,
          ],
        })
        return refusedOrLax(answer)
      },
    },
    {
      name: 'signature_other_scheme',
      title: 'Accepts a header with a scheme of a later day beside v1',
      why: 'A second scheme is how signatures are changed; refusing it would pause the feed that day.',
      fix: 'Look for v1 and ignore members with other names.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent(), {
          forge: ({ timestampSeconds, hex }) => `t=${timestampSeconds},v1=${hex},v2=MEUCIQ==`,
        })
        return accepted(answer)
      },
    },
    {
      name: 'signature_two_v1',
      title: 'Accepts two v1 of which one fits',
      why: 'Two signatures are how other services rotate secrets without an outage.',
      fix: 'Try every v1 of the header, not the first or the last alone.',
      async run({ deliver, makeEvent }) {
        const bad = 'ab'.repeat(32)
        const [second, first] = await Promise.all([
          deliver(makeEvent(), {
            forge: ({ timestampSeconds: t, hex }) => `t=${t},v1=${bad},v1=${hex}`,
          }),
          deliver(makeEvent(), {
            forge: ({ timestampSeconds: t, hex }) => `t=${t},v1=${hex},v1=${bad}`,
          }),
        ])
        return judgeEach(
          [
            ['the second one fits', second],
            ['the first one fits', first],
          ],
          accepted,
        )
      },
    },
  ],
}

function replaceTitle(body: Buffer, title: Buffer): Buffer {
  return Buffer.from(body.toString().replace('A conformance check, to be ignored', String(title)))
}
