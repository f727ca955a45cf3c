import { wrongSecret } from './target.ts'
import {
  accepted,
  group,
  rejected,
  rejectedOrLax,
  sending,
  sendingEach,
  type Check,
} from './verdict.ts'

const forgery = {
  why: 'Anybody who knows the URL could send events.',
  fix: 'Compute the HMAC over "<t>." and the raw body, compare all 64 digits in constant time, and answer 401 before you use the body.',
}

/** A signature of the right form, for another body. */
const otherHex = 'ab'.repeat(32)

/** Deliveries that the service did not sign, or not in this form. */
export const forgeryChecks: Check[] = [
  ...group('Forgeries', 'in_turn', {
    tampered_body: {
      title: 'Rejects a body that was changed after signing',
      ...forgery,
      run: sendingEach(rejected, {
        'another title': { tamper: (body) => body.replace('to be ignored', 'to be heeded') },
        'one byte less': { tamper: (body) => body.slice(0, -1) },
        'one byte more': { tamper: (body) => `${body}\n` },
        'an empty body': { tamper: () => '' },
      }),
    },
    tampered_time: {
      title: 'Rejects a timestamp that was changed after signing',
      why: 'A captured delivery could get a new timestamp and be replayed forever.',
      fix: 'Compute the HMAC over "<t>." and the body, with the t of the header.',
      run: sending(rejected, {
        offsetSeconds: -60,
        signature: ({ t, hex }) => `t=${t + 60},v1=${hex}`,
      }),
    },
    wrong_secret: {
      title: 'Rejects the signature of another secret',
      ...forgery,
      run: sending(rejected, { secret: wrongSecret }),
    },
  }),
  ...group('Signature header', 'in_turn', {
    signature_missing: {
      title: 'Rejects a delivery without a signature',
      why: 'Anybody who knows the URL could send events.',
      fix: 'Answer 401 if Feed-Signature is missing or empty.',
      run: sendingEach(rejected, {
        'no header': { signature: () => null },
        'an empty header': { signature: () => '' },
      }),
    },
    // No reader, however lax, can take one of these for t=<unix>,v1=<64 lowercase hex digits>.
    signature_malformed: {
      title: 'Rejects a malformed signature header',
      why: 'A parser that throws on a malformed header answers 500 or crashes the process, and anybody can send one.',
      fix: 'Match the whole header with one pattern, and answer 401 if it does not match.',
      run: sendingEach(rejected, {
        'no v1': { signature: ({ t }) => `t=${t}` },
        'no t': { signature: ({ hex }) => `v1=${hex}` },
        'only another scheme': { signature: ({ t, hex }) => `t=${t},v0=${hex}` },
        'the header of another vendor': { signature: ({ hex }) => `sha256=${hex}` },
        'a v1 that is not hex': { signature: ({ t }) => `t=${t},v1=${'z'.repeat(64)}` },
        'a t that is not a number': { signature: ({ hex }) => `t=now,v1=${hex}` },
        'no equals signs': { signature: () => 't,v1' },
        'only commas': { signature: () => ',,,,' },
        'eight kilobytes of digits': { signature: ({ t }) => `t=${t},v1=${'ab'.repeat(4_000)}` },
      }),
    },
    signature_upper_case: {
      title: 'Rejects an uppercase v1',
      why: 'v1 is 64 lowercase hex digits. A less strict comparison accepts several forms of one signature.',
      fix: 'Match v1 with [0-9a-f]{64}, without the case-insensitive flag.',
      run: sending(rejected, { signature: ({ t, hex }) => `t=${t},v1=${hex.toUpperCase()}` }),
    },
    signature_cut: {
      title: 'Rejects a v1 that is too short or too long',
      why: 'If only the first digits are compared, a forger needs to guess only these.',
      fix: 'Require exactly 64 digits before you compare, because hex decoders drop invalid characters.',
      run: sendingEach(rejected, {
        '8 digits': { signature: ({ t, hex }) => `t=${t},v1=${hex.slice(0, 8)}` },
        '63 digits': { signature: ({ t, hex }) => `t=${t},v1=${hex.slice(0, 63)}` },
        '65 digits': { signature: ({ t, hex }) => `t=${t},v1=${hex}0` },
        'trailing letters': { signature: ({ t, hex }) => `t=${t},v1=${hex}zz` },
        'no digits': { signature: ({ t }) => `t=${t},v1=` },
      }),
    },
    signature_time_form: {
      title: 'Rejects a t that is not a plain number',
      why: 'Two parts of a program may read an unusual number differently.',
      fix: 'Match t with (0|[1-9][0-9]*), and compute the HMAC over exactly this text.',
      run: sendingEach(rejectedOrLax, {
        'a leading zero': { signature: ({ t, hex }) => `t=0${t},v1=${hex}` },
        'a leading plus sign': { signature: ({ t, hex }) => `t=+${t},v1=${hex}` },
        'a fraction': { signature: ({ t, hex }) => `t=${t}.0,v1=${hex}` },
        'trailing letters': { signature: ({ t, hex }) => `t=${t}abc,v1=${hex}` },
      }),
    },
    signature_doubled: {
      title: 'Rejects two signature headers with different times',
      why: 'It is undefined which one of the two times was verified.',
      fix: 'Reject a header with two different values of t. Most servers join two headers with a comma and a space.',
      run: sending(rejectedOrLax, {
        signature: ({ t, hex }) => [`t=${t},v1=${hex}`, `t=${t - 1},v1=${otherHex}`],
      }),
    },
    signature_other_scheme: {
      title: 'Accepts a header with a future scheme, or in the spelling of a proxy',
      why: 'A service introduces a new signature scheme beside the old one, and proxies add white space or repeat a header. Rejecting it would pause the feed.',
      fix: 'Split the header at its commas, without the white space. Use v1, ignore other schemes, and let equal copies count as one.',
      run: sendingEach(accepted, {
        'a scheme beside v1': { signature: ({ t, hex }) => `t=${t},v1=${hex},v2=MEUCIQ==` },
        'a space after the comma': { signature: ({ t, hex }) => `t=${t}, v1=${hex}` },
        'two equal headers': {
          signature: ({ t, hex }) => [`t=${t},v1=${hex}`, `t=${t},v1=${hex}`],
        },
      }),
    },
    signature_two_v1: {
      title: 'Accepts two v1 of which one matches',
      why: 'Services send two signatures to rotate secrets without an outage.',
      fix: 'Try every v1 of the header, not only the first or the last.',
      run: sendingEach(accepted, {
        'the second one matches': { signature: ({ t, hex }) => `t=${t},v1=${otherHex},v1=${hex}` },
        'the first one matches': { signature: ({ t, hex }) => `t=${t},v1=${hex},v1=${otherHex}` },
      }),
    },
  }),
]
