import type { Delivery } from './target.ts'
import type { Runs } from './texts.ts'
import {
  accepts,
  hasStatus,
  isAccepted,
  judge,
  refuses,
  refusesOrLax,
  sending,
  turnsAway,
} from './verdict.ts'

/** What must hold before anything else can be learnt of a receiver. */
const gate = {
  reachable: sending(judge(({ status }) => (status === null ? 'failed' : 'passed')))(),
  no_redirect: sending(
    judge((answer) =>
      answer.status === null || hasStatus(answer, 300, 399) ? 'failed' : 'passed',
    ),
  )(),
  authentic: accepts(),
} satisfies Runs

/** HTTP as proxies, networks and later versions of the service may speak it. */
const transport = {
  // Not a destination_test: many receivers do no work for one.
  answers_in_time: sending(
    judge((answer) => (isAccepted(answer) && answer.durationMs <= 10_000 ? 'passed' : 'failed')),
  )({ body: (event) => ({ ...event, type: 'release_note' }) }),
  content_type_plain: acceptsTypes('text/plain'),
  content_type_missing: acceptsTypes(undefined),
  content_type_charset: acceptsTypes(
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
  ),
  content_type_other: acceptsTypes(
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'nonsense',
  ),
  header_case: accepts({ hasLowerCaseNames: true }),
  chunked: accepts({ manner: { chunkBytes: 17 } }),
  large_body: accepts({ data: { benchmark: { current: { notes: 'x'.repeat(900_000) } } } }),
  slow_body: accepts({ manner: { dripMs: 2_500 } }),
  expect_continue: accepts({
    headers: { Expect: '100-continue' },
    manner: { awaitsContinue: true },
  }),
} satisfies Runs

function acceptsTypes(...types: (string | undefined)[]) {
  const each = types.map((type): [string, Delivery] => {
    return [type ?? 'no Content-Type', { headers: { 'Content-Type': type } }]
  })
  return accepts.each(Object.fromEntries(each))
}

/** The window of 300 s around the clock of the receiver, on both sides (R173). */
const clock = {
  late: turnsAway({ offsetSeconds: -1_200 }),
  future: turnsAway({ offsetSeconds: 1_200 }),
  within_window: accepts.each({
    '240 s ago': { offsetSeconds: -240 },
    '240 s ahead': { offsetSeconds: 240 },
  }),
} satisfies Runs

/** Deliveries that nobody with the secret has signed as they are; any 4xx rejects them. */
const forgeries = {
  tampered_body: refuses.each({
    'another title': {
      tamper: (body) => Buffer.from(body.toString().replace('to be ignored', 'to be heeded')),
    },
    'one byte less': { tamper: (body) => body.subarray(0, -1) },
    'one byte more': { tamper: (body) => Buffer.concat([body, Buffer.from('\n')]) },
    'an empty body': { tamper: () => Buffer.alloc(0) },
  }),
  tampered_time: refuses({ offsetSeconds: -60, forge: ({ t, hex }) => `t=${t + 60},v1=${hex}` }),
  wrong_secret: refuses({ secret: 'feed_whsec_of_nobody_at_all' }),
} satisfies Runs

const notTheHex = 'ab'.repeat(32)

/** Headers of every form: what the interface leaves room for is accepted, all else rejected. */
const signatures = {
  signature_missing: refuses.each(
    forms({ 'no header': () => undefined, 'an empty header': () => '' }),
  ),
  // No reader, however lax, can take one of these for `t=<unix>,v1=<64 lowercase hex digits>`.
  signature_malformed: refuses.each(
    forms({
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
  ),
  signature_upper_case: refuses({ forge: ({ t, hex }) => `t=${t},v1=${hex.toUpperCase()}` }),
  signature_cut: refuses.each(
    forms({
      '8 digits': ({ t, hex }) => `t=${t},v1=${hex.slice(0, 8)}`,
      '63 digits': ({ t, hex }) => `t=${t},v1=${hex.slice(0, 63)}`,
      '65 digits': ({ t, hex }) => `t=${t},v1=${hex}0`,
      'letters behind it': ({ t, hex }) => `t=${t},v1=${hex}zz`,
      'no digits': ({ t }) => `t=${t},v1=`,
    }),
  ),
  signature_time_form: refusesOrLax.each(
    forms({
      'a zero before it': ({ t, hex }) => `t=0${t},v1=${hex}`,
      'a sign before it': ({ t, hex }) => `t=+${t},v1=${hex}`,
      'a fraction': ({ t, hex }) => `t=${t}.0,v1=${hex}`,
      'letters behind it': ({ t, hex }) => `t=${t}abc,v1=${hex}`,
      'there twice': ({ t, hex }) => `t=${t - 1},t=${t},v1=${hex}`,
    }),
  ),
  signature_doubled: refusesOrLax({
    forge: ({ t, hex }) => [`t=${t},v1=${hex}`, `t=${t - 1},v1=${notTheHex}`],
  }),
  signature_other_scheme: accepts({ forge: ({ t, hex }) => `t=${t},v1=${hex},v2=MEUCIQ==` }),
  signature_two_v1: accepts.each(
    forms({
      'the second one fits': ({ t, hex }) => `t=${t},v1=${notTheHex},v1=${hex}`,
      'the first one fits': ({ t, hex }) => `t=${t},v1=${hex},v1=${notTheHex}`,
    }),
  ),
} satisfies Runs

function forms(forges: Record<string, NonNullable<Delivery['forge']>>): Record<string, Delivery> {
  return Object.fromEntries(Object.entries(forges).map(([label, forge]) => [label, { forge }]))
}

export const headerChecks = { ...gate, ...transport, ...clock, ...forgeries, ...signatures }
