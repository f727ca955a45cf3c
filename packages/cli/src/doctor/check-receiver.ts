import { randomUUID } from 'node:crypto'
import { createSender, fixture, type AttemptRecord } from '@feed-receiver/sender'
import { adviseOnAttempt } from '../describe-attempt.ts'
import { failed, ok, skipped, warning, type Finding } from './finding.ts'
import { judgeSkew } from './judge-skew.ts'

/** The test delivery that the receiver has stored. */
export interface Probe {
  eventId: string
  body: Uint8Array
}

export interface ReceiverOptions {
  url: URL
  secret: string
  signal: AbortSignal
}

/**
 * Delivers tests to the app's own address: signed ones, in two spellings of JSON and twice, a forged
 * one and a late one. Says of each whether it was answered as it must be.
 */
export async function* checkReceiver(
  { url, secret, signal }: ReceiverOptions,
  onStored: (probe: Probe) => void,
): AsyncGenerator<Finding> {
  const post = async ({ body }: Probe, { as = secret, ageMs = 0 } = {}): Promise<AttemptRecord> => {
    await using sender = createSender({ secret: as, signingClock: () => Date.now() - ageMs })
    return await sender.attempt(body, { to: url, once: true, signal })
  }
  const first = makeProbe()
  const record = await post(first)
  const answer = judgeAnswer(record)
  yield answer
  if (answer.verdict === 'failed') {
    yield skipped('raw bytes', 'No test delivery was accepted.', 'Mend the answer first.')
    return
  }
  onStored(first)
  yield judgeLatency(record.durationMs)
  yield judgeGenuine('raw bytes', await post(makeProbe(spellOddly)))
  yield judgeGenuine('duplicates', await post(first))
  yield judgeForged('forgeries', await post(makeProbe(), { as: `feed_whsec_${randomUUID()}` }))
  yield judgeForged('late ones', await post(makeProbe(), { ageMs: 20 * 60_000 }))
  yield await checkClock(url, signal)
}

function makeProbe(write: (event: object) => string = JSON.stringify): Probe {
  const eventId = `evt_doctor_${randomUUID()}`
  return { eventId, body: Buffer.from(write(fixture('destination_test', { id: eventId }))) }
}

/** JSON that no parser writes again as it was. */
function spellOddly(event: object): string {
  return `${JSON.stringify(event, null, 3).replaceAll('/', '\\/')}\r\n`
}

function judgeAnswer(record: AttemptRecord): Finding {
  const { result, status, error, responseBody = '' } = record
  const answered = `is answered ${status ?? '2xx'}`
  if (result === 'accepted') return ok('answer', `A signed test delivery ${answered}.`)
  const seen = status === null ? `got no answer (${error?.code ?? 'unknown'})` : answered
  const next = result === 'pause' ? ', which pauses the destination' : ''
  // A receiver of this kit says a code.
  const [, code = ''] = /"code":"(\w+)"/.exec(responseBody) ?? []
  const advice = Object.hasOwn(adviceByCode, code) ? adviceByCode[code] : adviseOnAttempt(record)
  const says = `A signed test delivery ${seen}${next}.`
  return failed('answer', says, advice ?? 'See what answers there.')
}

const adviceByCode: Record<string, string> = {
  body_already_read:
    'A body parser comes before the receiver: mount the receiver first, or give the parser keepRawBody.',
  signature_mismatch:
    'The app has another secret, or other bytes: compare the fingerprints, and mount it before parsers.',
  outside_window: 'The clock of the app is wrong: set it by NTP.',
  secrets_unavailable: 'The app has no secret: set FEED_SIGNING_SECRET where it runs.',
  store_failed: 'The app cannot store: see to its database.',
  store_timeout: 'The app stores too slowly: see to its database.',
  shutting_down: 'The app is shutting down: look again when it runs.',
}

function judgeLatency(durationMs: number): Finding {
  const says = `It answered in ${durationMs} ms; the service waits for 10 s.`
  if (durationMs < 2000) return ok('latency', says)
  return warning('latency', says, 'Answer once the event is stored, and do the work later.')
}

/** Deliveries that must be accepted. */
const genuine = {
  'raw bytes': {
    good: 'The signature is checked over the raw bytes.',
    bad: (status: string) =>
      `The same event in other JSON spelling was answered ${status}: a parser comes first.`,
    fix: 'Mount the receiver before any body parser, or keep the raw bytes (keepRawBody).',
  },
  duplicates: {
    good: 'A delivery that comes again is accepted.',
    bad: (status: string) => `A delivery that came again was answered ${status}.`,
    fix: 'Answer a known event with 200: deliveries come at least once.',
  },
}

function judgeGenuine(check: keyof typeof genuine, { result, status }: AttemptRecord): Finding {
  const { good, bad, fix } = genuine[check]
  return result === 'accepted'
    ? ok(check, good)
    : failed(check, bad(status === null ? 'not at all' : String(status)), fix)
}

/** Deliveries that must be rejected. */
const forged = {
  forgeries: {
    which: 'by another secret',
    danger: 'anybody can post events',
    fix: 'Check the signature before anything else.',
    mayPause: true,
  },
  'late ones': {
    which: 'that was signed 20 minutes ago',
    danger: 'captured ones can be replayed',
    fix: 'Refuse what was signed more than 300 s ago.',
    mayPause: false,
  },
}

function judgeForged(check: keyof typeof forged, record: AttemptRecord): Finding {
  const { which, danger, fix, mayPause } = forged[check]
  const { result, status, error, cause } = record
  const delivery = `A delivery ${which}`
  if (status === null) {
    const silence =
      'Answer whatever comes: the service counts silence as a failure of the destination.'
    return failed(check, `${delivery} got no answer (${error?.code ?? cause}).`, silence)
  }
  if (result === 'accepted') {
    return failed(check, `${delivery} was answered ${status}: ${danger}.`, fix)
  }
  if (result === 'pause' && !mayPause) {
    const says = `${delivery} is answered ${status}, which pauses the destination.`
    return warning(
      check,
      says,
      'Answer 503: a clock that is wrong for a while must not stop the feed.',
    )
  }
  return ok(check, `${delivery} is refused with ${status}.`)
}

async function checkClock(url: URL, signal: AbortSignal): Promise<Finding> {
  const sentMs = Date.now()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
  const answer = await fetch(url, { redirect: 'manual', signal: limit }).catch(() => undefined)
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) {
    return skipped('app clock', 'Its answers have no Date header.', 'Compare its clock by hand.')
  }
  // The header has whole seconds.
  return judgeSkew('app clock', date, { sentMs: sentMs - 1000, receivedMs: Date.now() })
}
