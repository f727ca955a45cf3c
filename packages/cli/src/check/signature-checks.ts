import type { CheckGroup } from './check.ts'
import { cutForms, deliverForms, doubleForms, laxForms, malformedForms } from './signature-forms.ts'
import { accepted, judgeEach, refused, refusedOrLax } from './verdict.ts'

/** Headers of every form: what the interface leaves room for is accepted, all else refused. */
export const signatureChecks: CheckGroup = {
  title: 'Signature header',
  pace: 'in_turn',
  checks: [
    {
      name: 'signature_missing',
      title: 'Refuses a delivery without a signature',
      why: 'Whoever knows the URL could put events into the feed.',
      fix: 'Answer 401 where Feed-Signature is missing or empty.',
      run({ deliver, makeEvent }) {
        const unsigned = {
          'no header': deliver(makeEvent(), { forge: () => undefined }),
          'an empty header': deliver(makeEvent(), { forge: () => '' }),
        }
        return judgeEach(unsigned, refused)
      },
    },
    {
      name: 'signature_malformed',
      title: 'Refuses a header that is not of the form',
      why:
        'A parser that trips over a header answers 500 or ends the process, for anybody who ' +
        'sends one.',
      fix: 'Match the whole header with one pattern, and answer 401 where it does not fit.',
      run: (target) => judgeEach(deliverForms(target, malformedForms), refused),
    },
    {
      name: 'signature_upper_case',
      title: 'Refuses a v1 in upper case',
      why:
        'v1 is 64 lowercase hex digits. A laxer comparison takes more spellings than were ' +
        'signed.',
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
      title: 'Refuses a v1 that is cut short, or longer than it should be',
      why: 'Where only the beginning counts, a forger has a few digits to guess.',
      fix: 'Demand exactly 64 digits before comparing; decoders of hex drop what they do not like.',
      run: (target) => judgeEach(deliverForms(target, cutForms), refused),
    },
    {
      name: 'signature_time_form',
      title: 'Refuses a t that is no plain number',
      why: 'One instant with many spellings is one that two parts of a program read differently.',
      fix: 'Match t with (0|[1-9][0-9]*), and sign the very text that the header has.',
      run: (target) => judgeEach(deliverForms(target, laxForms), refusedOrLax),
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
      why:
        'A second scheme is how signatures are changed; refusing it would pause the feed that ' +
        'day.',
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
      run: (target) => judgeEach(deliverForms(target, doubleForms), accepted),
    },
  ],
}
