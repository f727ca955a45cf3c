import { randomUUID } from 'node:crypto'
import { createSender, fixture, type AttemptRecord } from '@feed-receiver/sender'
import { failed, ok, skipped, warning, type Finding } from './finding.ts'
import { judgeAnswer } from './judge-answer.ts'
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
  const post = async (
    body: Uint8Array,
    { as = secret, ageMs = 0 } = {},
  ): Promise<AttemptRecord> => {
    await using sender = createSender({ secret: as, signingClock: () => Date.now() - ageMs })
    return await sender.attempt(body, { to: url, once: true, signal })
  }
  const plain = makeProbe(JSON.stringify)
  const first = await post(plain.body)
  const answer = judgeAnswer(first)
  yield answer
  if (answer.verdict === 'failed') {
    yield skipped('raw bytes', 'No test delivery was accepted.', 'Mend the answer first.')
    return
  }
  onStored(plain)
  yield judgeLatency(first.durationMs)
  yield judgeRawBytes(await post(makeProbe(spellOddly).body))
  yield judgeDuplicate(await post(plain.body))
  yield judgeForged(
    await post(makeProbe(JSON.stringify).body, { as: `feed_whsec_${randomUUID()}` }),
  )
  yield judgeLate(await post(makeProbe(JSON.stringify).body, { ageMs: 20 * 60_000 }))
  yield await checkClock(url, signal)
}

function makeProbe(write: (event: object) => string): Probe {
  const eventId = `evt_doctor_${randomUUID()}`
  return { eventId, body: Buffer.from(write(fixture('destination_test', { id: eventId }))) }
}

/** JSON that no parser writes again as it was. */
function spellOddly(event: object): string {
  return `${JSON.stringify(event, null, 3).replaceAll('/', '\\/')}\r\n`
}

function judgeLatency(durationMs: number): Finding {
  const says = `It answered in ${durationMs} ms; the service waits for 10 s.`
  if (durationMs < 2000) return ok('latency', says)
  return warning('latency', says, 'Answer once the event is stored, and do the work later.')
}

function judgeRawBytes({ result, status }: AttemptRecord): Finding {
  if (result === 'accepted') return ok('raw bytes', 'The signature is checked over the raw bytes.')
  return failed(
    'raw bytes',
    `The same event in other JSON spelling was answered ${status ?? 'not at all'}: a parser comes first.`,
    'Mount the receiver before any body parser, or keep the raw bytes (keepRawBody).',
  )
}

function judgeDuplicate({ result, status }: AttemptRecord): Finding {
  if (result === 'accepted') return ok('duplicates', 'A delivery that comes again is accepted.')
  return failed(
    'duplicates',
    `A delivery that came again was answered ${status ?? 'not at all'}.`,
    'Answer a known event with 200: deliveries come at least once.',
  )
}

function judgeForged(record: AttemptRecord): Finding {
  const { result, status } = record
  if (status === null) return unanswered('forgeries', 'by another secret', record)
  if (result === 'accepted') {
    return failed(
      'forgeries',
      `A delivery by another secret was answered ${status}: anybody can post events.`,
      'Check the signature before anything else.',
    )
  }
  return ok('forgeries', `A delivery by another secret is refused with ${status}.`)
}

function judgeLate(record: AttemptRecord): Finding {
  const { result, status } = record
  if (status === null) return unanswered('late ones', 'that was signed 20 minutes ago', record)
  if (result === 'accepted') {
    return failed(
      'late ones',
      `A delivery that was signed 20 minutes ago was answered ${status}: captured ones can be replayed.`,
      'Refuse what was signed more than 300 s ago.',
    )
  }
  if (result === 'pause') {
    return warning(
      'late ones',
      `A delivery that was signed 20 minutes ago is answered ${status}, which pauses the destination.`,
      'Answer 503: a clock that is wrong for a while must not stop the feed.',
    )
  }
  return ok('late ones', `A delivery that was signed 20 minutes ago is refused with ${status}.`)
}

function unanswered(check: string, which: string, { error, cause }: AttemptRecord): Finding {
  return failed(
    check,
    `A delivery ${which} got no answer (${error?.code ?? cause}).`,
    'Answer whatever comes: the service counts silence as a failure of the destination.',
  )
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
