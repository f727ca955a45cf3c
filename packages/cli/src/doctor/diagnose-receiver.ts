import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { checkMark } from '@feed-receiver/core/testing'
import { createSender, fixture, type AttemptRecord } from '@feed-receiver/sender'
import { checkAddress, checkTarget, SenderError } from '@feed-receiver/sender/internal'
import { fixOfAttempt } from '../describe-attempt.ts'
import { findTrap } from '../conformance/traps/find-trap.ts'
import { failed, diagnoseSkew, ok, skipped, warning, withTrap, type Finding } from './finding.ts'

/** The test delivery that the receiver has stored. */
export interface Probe {
  eventId: string
  body: Uint8Array
}

/**
 * Sends test deliveries to the app's address: signed ones in two spellings of JSON, a forged one, a
 * late one, and the first one again. Reports for each whether the response was correct.
 */
export async function* diagnoseReceiver(
  { url, secret, signal }: { url: URL; secret: string; signal: AbortSignal },
  onStored: (probe: Probe) => void,
): AsyncGenerator<Finding> {
  const post = async ({ body }: Probe, { as = secret, ageMs = 0 } = {}): Promise<AttemptRecord> => {
    await using sender = createSender({ secret: as, signingClock: () => Date.now() - ageMs })
    // Otherwise it would count as a push, and hide that the service has paused the feed.
    const mark = checkMark({ secret, timestampSeconds: Math.floor(Date.now() / 1_000), body })
    const headers = { 'Feed-Receiver-Check': mark }
    return await sender.attempt(body, { to: url, once: true, headers, signal })
  }
  const first = makeProbe()
  const record = await post(first)
  yield diagnoseAnswer(record)
  if (record.result !== 'accepted') {
    yield skipped('raw bytes', 'No test delivery was accepted.', 'Correct the failed answer first.')
    return
  }
  onStored(first)
  const latency = `The app answered in ${record.durationMs} ms. The service waits up to 10 s.`
  yield record.durationMs < 2000
    ? ok('latency', latency)
    : warning('latency', latency, 'Answer when the event is stored, and handle it later.')
  yield expectAccepted('raw bytes', await post(makeProbe(spellOddly)), {
    right: 'The app verifies the signature over the raw body.',
    wrong: (status) =>
      `The app answered the same event in another JSON formatting with ${status}, so a parser runs before the receiver.`,
    fix: 'Mount the receiver before any body parser, or keep the raw body (keepRawBody).',
  })
  yield expectRejected('forgeries', await post(makeProbe(), { as: `feed_whsec_${randomUUID()}` }), {
    what: 'a delivery signed with another secret',
    wrong: 'so anybody can post events',
    fix: 'Verify the signature before anything else.',
  })
  yield expectRejected('late ones', await post(makeProbe(), { ageMs: 20 * 60_000 }), {
    what: 'a delivery that was signed 20 minutes ago',
    wrong: 'so it accepts replay attacks',
    fix: 'Reject deliveries that were signed more than 300 s ago.',
    pauseFix: 'Answer 503, so that a wrong clock does not pause the feed.',
  })
  yield expectAccepted('duplicates', await post(first), {
    right: 'The app accepts duplicates.',
    wrong: (status) => `The app answered a duplicate with ${status}.`,
    fix: 'Answer a stored event with 200, because the service delivers at least once.',
  })
  yield await diagnoseAppClock(url, signal)
}

function makeProbe(write: (event: object) => string = JSON.stringify): Probe {
  const eventId = `evt_doctor_${randomUUID()}`
  return { eventId, body: Buffer.from(write(fixture('destination_test', { id: eventId }))) }
}

/** JSON that no serializer would reproduce byte for byte. */
function spellOddly(event: object): string {
  return `${JSON.stringify(event, null, 3).replaceAll('/', '\\/')}\r\n`
}

function diagnoseAnswer(record: AttemptRecord): Finding {
  const { result, status, error } = record
  const next = result === 'pause' ? ', which pauses the destination' : ''
  const answer =
    status === null ? `got no answer (${error?.code ?? 'unknown'})` : `was answered with ${status}`
  return expectAccepted('answer', record, {
    right: `The app answered a signed test delivery with ${status ?? '2xx'}.`,
    wrong: () => `A signed test delivery ${answer}${next}.`,
    fix: fixOfAttempt(record),
  })
}

function expectAccepted(
  check: string,
  { result, status, headers = {}, responseBody = '' }: AttemptRecord,
  texts: { right: string; wrong: (status: number | string) => string; fix: string },
): Finding {
  if (result === 'accepted') return ok(check, texts.right)
  const finding = failed(check, texts.wrong(status ?? 'no status'), texts.fix)
  if (status === null) return finding
  return withTrap(finding, findTrap({ status, headers, body: responseBody }))
}

/** Warns of a status that pauses the destination, if there is a fix for that. */
function expectRejected(
  check: string,
  { result, status, error, cause }: AttemptRecord,
  { what, wrong, fix, pauseFix }: Record<'what' | 'wrong' | 'fix', string> & { pauseFix?: string },
): Finding {
  if (status === null) {
    return failed(
      check,
      `The app did not answer ${what} (${error?.code ?? cause}).`,
      'Answer every request, because the service counts a missing answer as a failure of the destination.',
    )
  }
  if (result === 'accepted')
    return failed(check, `The app answered ${status} to ${what}, ${wrong}.`, fix)
  const says = `The app answers ${status} to ${what}`
  if (result !== 'pause' || pauseFix === undefined) return ok(check, `${says}.`)
  return warning(check, `${says}, and this status pauses the destination.`, pauseFix)
}

async function diagnoseAppClock(url: URL, signal: AbortSignal): Promise<Finding> {
  const sentMs = Date.now()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
  const answer = await fetch(url, { redirect: 'manual', signal: limit }).catch(() => undefined)
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) {
    return skipped(
      'app clock',
      'The answers of the app have no Date header.',
      'Compare its clock yourself.',
    )
  }
  // The Date header has whole seconds.
  return diagnoseSkew('app clock', date, { sentMs: sentMs - 1000, receivedMs: Date.now() })
}

export async function diagnoseAddress(url: URL): Promise<Finding> {
  try {
    const { hostname } = checkTarget(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = await lookup(host, { all: true })
    for (const { address } of addresses) checkAddress(address)
    return ok('address', 'The service accepts this address: it is public and uses https.')
  } catch (error) {
    const problem = error instanceof SenderError ? error.problem : 'Its host has no address.'
    return warning(
      'address',
      `The service rejects this address as a destination. ${problem}`,
      'Register the public https address of the app. For a check from this machine you can ignore this.',
    )
  }
}
