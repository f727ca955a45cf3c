import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import {
  createSender,
  fixture,
  type AttemptRecord,
  checkAddress as refuseAddress,
  checkTarget,
  SenderError,
} from '@feed-receiver/sender'
import { fixOfAttempt } from '../describe-attempt.ts'
import { findTrap, type Trap } from '../traps/find-trap.ts'
import { failed, judgeSkew, ok, skipped, warning, withTrap, type Finding } from './finding.ts'

/** The test delivery that the receiver has stored. */
export interface Probe {
  eventId: string
  body: Uint8Array
}

/**
 * Sends test deliveries to the app's address: signed ones in two spellings of JSON, a forged one, a
 * late one, and the first one again. Reports for each whether the response was correct.
 */
export async function* checkReceiver(
  { url, secret, signal }: { url: URL; secret: string; signal: AbortSignal },
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
    yield skipped('raw_bytes')
    return
  }
  onStored(first)
  const { durationMs } = record
  yield durationMs < 2000 ? ok('latency', { durationMs }) : warning('latency', { durationMs })
  yield judgeGenuine('raw_bytes', await post(makeProbe(spellOddly)))
  yield judgeForged('forgeries', await post(makeProbe(), { as: `feed_whsec_${randomUUID()}` }))
  yield judgeForged('late', await post(makeProbe(), { ageMs: 20 * 60_000 }))
  // After the forged ones, so that the health of the inbox does not report their 401 as a pause.
  yield judgeGenuine('duplicates', await post(first))
  yield await checkClock(url, signal)
}

function makeProbe(write: (event: object) => string = JSON.stringify): Probe {
  const eventId = `evt_doctor_${randomUUID()}`
  return { eventId, body: Buffer.from(write(fixture('destination_test', { id: eventId }))) }
}

/** JSON that no serializer would reproduce byte for byte. */
function spellOddly(event: object): string {
  return `${JSON.stringify(event, null, 3).replaceAll('/', '\\/')}\r\n`
}

function judgeAnswer(record: AttemptRecord): Finding {
  const { result, status, error } = record
  if (result === 'accepted') return ok('answer', { status: status ?? '2xx' })
  const next = result === 'pause' ? ', which pauses the destination' : ''
  const seen =
    status === null ? `got no answer (${error?.code ?? 'unknown'})` : `was answered with ${status}`
  const fix = fixOfAttempt(record)
  return withTrap(failed('answer', { seen: `${seen}${next}`, fix }), trapOf(record))
}

function trapOf({ status, headers = {}, responseBody = '' }: AttemptRecord): Trap | undefined {
  return status === null ? undefined : findTrap({ status, headers, body: responseBody })
}

/** Judges a delivery that must be accepted. */
function judgeGenuine(code: 'raw_bytes' | 'duplicates', record: AttemptRecord): Finding {
  const { result, status } = record
  if (result === 'accepted') return ok(code)
  return withTrap(failed(code, { status: status ?? 'no status' }), trapOf(record))
}

/** Deliveries that must be rejected. */
const forged = {
  forgeries: { check: 'forgeries', which: 'signed with another secret' },
  late: { check: 'late ones', which: 'that was signed 20 minutes ago' },
}

function judgeForged(code: keyof typeof forged, record: AttemptRecord): Finding {
  const { result, status, error, cause } = record
  const seen = { ...forged[code], status: status ?? '', why: error?.code ?? cause }
  if (status === null) return failed('no_answer', seen)
  if (result === 'accepted') return failed(code, seen)
  return result === 'pause' && code === 'late' ? warning('pauses', seen) : ok('refused', seen)
}

async function checkClock(url: URL, signal: AbortSignal): Promise<Finding> {
  const sentMs = Date.now()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
  const answer = await fetch(url, { redirect: 'manual', signal: limit }).catch(() => undefined)
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) return skipped('clock')
  // The Date header has whole seconds.
  return judgeSkew('app clock', date, { sentMs: sentMs - 1000, receivedMs: Date.now() })
}

/** Checks whether the service would accept this address as a destination (R176–R178). */
export async function checkAddress(url: URL): Promise<Finding> {
  try {
    const { hostname } = checkTarget(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = await lookup(host, { all: true })
    for (const { address } of addresses) refuseAddress(address)
    return ok('address')
  } catch (error) {
    const problem = error instanceof SenderError ? error.problem : 'Its host has no address.'
    return warning('address', { problem })
  }
}
