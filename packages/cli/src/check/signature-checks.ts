import type { Checks } from './check.ts'
import type { Delivery } from './target.ts'
import { accepted, judgeEach, notRun, refused, refusedOrLax, turnedAway } from './verdict.ts'

/** The window of 300 s around the clock of the receiver, on both sides (R173). */
export const clockChecks: Checks = {
  late: {
    title: 'Turns away a delivery signed 20 minutes ago',
    why: 'A captured delivery could be replayed at any later time.',
    fix:
      'Compare t with your clock once the signature holds, and answer 503 where they are more ' +
      'than 300 s apart: a wrong clock then costs attempts, where a 401 would pause the feed.',
    send: { offsetSeconds: -1_200 },
    expect: turnedAway,
  },
  future: {
    title: 'Turns away a delivery signed 20 minutes ahead',
    why: 'A delivery that is signed ahead can be replayed until its time has come and gone.',
    fix:
      'Compare the absolute difference of t and your clock: several libraries look only at ' +
      'the past.',
    send: { offsetSeconds: 1_200 },
    expect: turnedAway,
  },
  within_window: {
    title: 'Accepts deliveries signed 4 minutes ago and ahead',
    why: 'Clocks drift, and deliveries wait in queues; the window is 300 s on both sides.',
    fix: 'Allow 300 s, in seconds and not in milliseconds, and keep the clock of the machine right.',
    each: { '240 s ago': { offsetSeconds: -240 }, '240 s ahead': { offsetSeconds: 240 } },
  },
}

const forged = {
  why: 'Whoever knows the URL could put events into the feed.',
  fix:
    'Compute the HMAC over "<t>." and the raw body, compare all 64 digits in constant time, and ' +
    'answer 401 before anything else is done with the body.',
}

/** Deliveries that nobody with the secret has signed as they are; any 4xx rejects them. */
export const forgeryChecks: Checks = {
  tampered_body: {
    title: 'Refuses a body that was changed after signing',
    ...forged,
    each: {
      'another title': {
        tamper: (body) => Buffer.from(body.toString().replace('to be ignored', 'to be heeded')),
      },
      'one byte less': { tamper: (body) => body.subarray(0, -1) },
      'one byte more': { tamper: (body) => Buffer.concat([body, Buffer.from('\n')]) },
      'an empty body': { tamper: () => Buffer.alloc(0) },
    },
    expect: refused,
  },
  tampered_time: {
    title: 'Refuses a time that was changed after signing',
    why: 'A captured delivery could be given a fresh time and replayed for ever.',
    fix: 'Sign "<t>." together with the body, with the t of the header.',
    send: { offsetSeconds: -60, forge: ({ t, hex }) => `t=${t + 60},v1=${hex}` },
    expect: refused,
  },
  wrong_secret: {
    title: 'Refuses the signature of another secret',
    ...forged,
    send: { secret: 'feed_whsec_of_nobody_at_all' },
    expect: refused,
  },
}

/** Headers of every form: what the interface leaves room for is accepted, all else rejected. */
export const headerChecks: Checks = {
  signature_missing: {
    title: 'Refuses a delivery without a signature',
    why: 'Whoever knows the URL could put events into the feed.',
    fix: 'Answer 401 where Feed-Signature is missing or empty.',
    each: forms({ 'no header': () => undefined, 'an empty header': () => '' }),
    expect: refused,
  },
  signature_malformed: {
    title: 'Refuses a header that is not of the form',
    why:
      'A parser that trips over a header answers 500 or ends the process, for anybody who ' +
      'sends one.',
    fix: 'Match the whole header with one pattern, and answer 401 where it does not fit.',
    // No reader, however lax, can take one of these for `t=<unix>,v1=<64 lowercase hex digits>`.
    each: forms({
      'no v1': ({ t }) => `t=${t}`,
      'no t': ({ hex }) => `v1=${hex}`,
      'only another scheme': ({ t, hex }) => `t=${t},v0=${hex}`,
      'the header of another vendor': ({ hex }) => `sha256=${hex}`,
      'v1 that is no hex': ({ t }) => `t=${t},v1=${'z'.repeat(64)}`,
      't that is no number': ({ hex }) => `t=now,v1=${hex}`,
      'no equals signs': () => 't,v1',
      'nothing but commas': () => ',,,,',
      'eight kilobytes of digits': ({ t }) => `t=${t},v1=${'ab'.repeat(4_000)}`,
    }),
    expect: refused,
  },
  signature_upper_case: {
    title: 'Refuses a v1 in upper case',
    why: 'v1 is 64 lowercase hex digits. A laxer comparison takes more spellings than were signed.',
    fix: 'Match v1 with [0-9a-f]{64}, without the flag that ignores case.',
    send: { forge: ({ t, hex }) => `t=${t},v1=${hex.toUpperCase()}` },
    expect: refused,
  },
  signature_cut: {
    title: 'Refuses a v1 that is cut short, or longer than it should be',
    why: 'Where only the beginning counts, a forger has a few digits to guess.',
    fix: 'Demand exactly 64 digits before comparing; decoders of hex drop what they do not like.',
    each: forms({
      '8 digits': ({ t, hex }) => `t=${t},v1=${hex.slice(0, 8)}`,
      '63 digits': ({ t, hex }) => `t=${t},v1=${hex.slice(0, 63)}`,
      '65 digits': ({ t, hex }) => `t=${t},v1=${hex}0`,
      'letters behind it': ({ t, hex }) => `t=${t},v1=${hex}zz`,
      'no digits': ({ t }) => `t=${t},v1=`,
    }),
    expect: refused,
  },
  signature_time_form: {
    title: 'Refuses a t that is no plain number',
    why: 'One instant with many spellings is one that two parts of a program read differently.',
    fix: 'Match t with (0|[1-9][0-9]*), and sign the very text that the header has.',
    each: forms({
      'a zero before it': ({ t, hex }) => `t=0${t},v1=${hex}`,
      'a sign before it': ({ t, hex }) => `t=+${t},v1=${hex}`,
      'a fraction': ({ t, hex }) => `t=${t}.0,v1=${hex}`,
      'letters behind it': ({ t, hex }) => `t=${t}abc,v1=${hex}`,
      'there twice': ({ t, hex }) => `t=${t - 1},t=${t},v1=${hex}`,
    }),
    expect: refusedOrLax,
  },
  signature_doubled: {
    title: 'Refuses two signature headers',
    why: 'Two headers have two times, and nothing says which one was checked.',
    fix: 'Refuse a repeated Feed-Signature; most servers join the two with a comma and a space.',
    send: { forge: ({ t, hex }) => [`t=${t},v1=${hex}`, `t=${t - 1},v1=${notTheHex}`] },
    expect: refusedOrLax,
  },
  signature_other_scheme: {
    title: 'Accepts a header with a scheme of a later day beside v1',
    why: 'A second scheme is how signatures are changed; refusing it would pause the feed that day.',
    fix: 'Look for v1 and ignore members with other names.',
    send: { forge: ({ t, hex }) => `t=${t},v1=${hex},v2=MEUCIQ==` },
  },
  signature_two_v1: {
    title: 'Accepts two v1 of which one fits',
    why: 'Two signatures are how other services rotate secrets without an outage.',
    fix: 'Try every v1 of the header, not the first or the last alone.',
    each: forms({
      'the second one fits': ({ t, hex }) => `t=${t},v1=${notTheHex},v1=${hex}`,
      'the first one fits': ({ t, hex }) => `t=${t},v1=${hex},v1=${notTheHex}`,
    }),
  },
}

const notTheHex = 'ab'.repeat(32)

function forms(forges: Record<string, NonNullable<Delivery['forge']>>): Record<string, Delivery> {
  return Object.fromEntries(Object.entries(forges).map(([label, forge]) => [label, { forge }]))
}

/** Rotation, in which the service changes from one secret to the next within 24 hours (R203). */
export const rotationChecks: Checks = {
  rotation: {
    title: 'Accepts the signatures of either of two secrets',
    why: 'The old secret signs for 24 hours more; with only one deployed, a 401 pauses the feed.',
    fix:
      'Try every configured secret, and remove the old one only after a delivery that the ' +
      'new one signed.',
    async run({ deliver, secondSecret: secret }) {
      if (secret === undefined) return notRun('It needs a second secret.')
      const each = { 'the first secret': deliver(), 'the second secret': deliver({ secret }) }
      return judgeEach(each, accepted)
    },
  },
}
