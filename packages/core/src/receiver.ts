import {
  clearDeadline,
  deadlineReached,
  startDeadline,
  withinDeadline,
  type Deadline,
} from './limits/deadline.ts'
import type { Delivery, Findings, Observation } from './delivery.ts'
import { createKeyring } from './signature/keyring.ts'
import { checkInbox, checkLimits, type ReceiverOptions } from './options.ts'
import { discardBody, readBody } from './read-body.ts'
import type { Platform } from './platform.ts'
import { overrideStatuses, type Reason } from './reasons.ts'
import { makeReply, type Reply } from './reply.ts'
import {
  isIdentity,
  pickHeaders,
  mayHoldMore,
  readHeaders,
  type Headers,
  type ReceiverRequest,
} from './request.ts'
import { retryAfterSeconds } from './limits/retry-after.ts'
import { createSlots } from './limits/slots.ts'
import { checkBytes, checkHeader } from './signature/check-mark.ts'
import { parseSignature, type Signature } from './signature/signature.ts'
import { warnOfRejections } from './rejections/warn-of-rejections.ts'
import { storeDelivery } from './store-delivery.ts'
import { createThrottle } from './limits/throttle.ts'
import { createUploads } from './limits/uploads.ts'

export interface Receiver extends AsyncDisposable {
  /** Verifies and stores one delivery, and resolves with the answer. Never rejects. */
  receive(request: ReceiverRequest): Promise<Reply>
  /**
   * Rejects new deliveries with 503, and resolves when the server has the answers of the in-flight
   * ones. Close the server before you end the process: it sends them.
   */
  stop(): Promise<void>
}

/** How long after its deadline a delivery may still be answered, in milliseconds. */
const spareMs = 1_000

/** Creates a receiver on a platform. Errors: as `createReceiver`. */
export function createReceiverFor<Secret>(
  { readSecrets, findSigner, parseEvent, byteLength }: Platform<Secret>,
  options: ReceiverOptions,
): Receiver {
  const {
    secrets: given,
    inbox,
    toleranceSeconds = 300,
    maxBodyBytes = 1_048_576,
    maxInFlight = 256,
    maxUnfinishedBodies = 256,
    minBodyBytesPerSecond = 1_024,
    deadlineMs = 8_000,
    secretsMaxAgeSeconds = 60,
    statuses: overrides = {},
    observe = warnOfRejections(),
    now = Date.now,
  } = options
  checkInbox(inbox)
  checkLimits({
    toleranceSeconds,
    maxBodyBytes,
    maxInFlight,
    maxUnfinishedBodies,
    minBodyBytesPerSecond,
    deadlineMs,
    secretsMaxAgeSeconds,
  })
  const statuses = overrideStatuses(overrides)
  const lostAfterMs = deadlineMs + spareMs
  const keyring = createKeyring(given, {
    readSecrets,
    now,
    maxAgeSeconds: secretsMaxAgeSeconds,
    lostAfterMs,
  })
  const uploads = createUploads({ maxUnfinishedBodies, minBodyBytesPerSecond })
  const discards = createUploads({ maxUnfinishedBodies, minBodyBytesPerSecond })
  const throttle = createThrottle()
  const slots = createSlots<Deadline>({ max: maxInFlight, lostAfterMs })
  const listeners = [(seen: Observation) => inbox.answered?.(seen), observe]
  let isStopping = false
  let answering = 0
  const waitingForIdle: (() => void)[] = []

  return { receive, stop, [Symbol.asyncDispose]: stop }

  async function receive(request: ReceiverRequest): Promise<Reply> {
    // Each step fills in its part; complete once the delivery is answered.
    const seen: Observation = { notes: [], reason: 'store_failed', status: 0, durationMs: 0 }
    const deadline = startDeadline(deadlineMs)
    // Counting a request that begins during a shutdown would delay it for as long as more arrive.
    const counted = isStopping ? 0 : 1
    answering += counted
    try {
      seen.reason = await judge(request, deadline, seen)
    } catch (error) {
      seen.error = error
    }
    clearDeadline(deadline)
    seen.status = statuses[seen.reason]
    seen.durationMs = performance.now() - deadline.startedAt
    const reply = makeReply(request, seen, byteLength)
    for (const listener of listeners) notify(listener, seen)
    answering -= counted
    reportIdle()
    return reply
  }

  async function judge(
    request: ReceiverRequest,
    deadline: Deadline,
    findings: Findings,
  ): Promise<Reason> {
    const header = readHeaders(request.headers)
    const contentLength = Number(header('content-length') ?? 0)
    const limits = { maxBodyBytes, contentLength, deadline, uploads, discards, throttle }
    const signature = isStopping ? 'shutting_down' : readHead(request, header)
    if (typeof signature === 'string') {
      if (mayHoldMore(request)) await discardBody(request.body, limits)
      return signature
    }

    // Before anything else is awaited, because a stream may lose what nobody listens for.
    const outcome = await readBody(request.body, limits)
    if ('problem' in outcome) {
      findings.error = outcome.error
      return outcome.problem
    }
    const body = outcome.bytes
    findings.bodyBytes = body.length

    const current = keyring.current(deadline)
    // Usually there is nothing to await.
    let secrets = current instanceof Promise ? await current : current
    findings.error = keyring.error
    if (secrets.length === 0) return 'secrets_unavailable'

    // Node answers synchronously, so there is nothing to await.
    const found = findSigner(signature, body, secrets)
    let signedBy = typeof found === 'object' ? await found : found
    if (signedBy === undefined) {
      const renewed = await keyring.renew(deadline)
      findings.error = keyring.error
      if (renewed.length === 0) return 'secrets_unavailable'
      // oxlint-disable-next-line feed-receiver/constant-time -- whether it is another list
      if (renewed !== secrets) signedBy = await findSigner(signature, body, renewed)
      secrets = renewed
    }
    const mark = header(checkHeader)
    if (mark !== undefined && (await isMark(mark, body, secrets))) findings.isCheck = true
    if (signedBy === undefined) return 'signature_mismatch'

    const receivedAt = now()
    const signedAt = new Date(signature.timestampSeconds * 1_000)
    const skewSeconds = Math.floor(receivedAt / 1_000) - signature.timestampSeconds
    findings.signedBy = signedBy
    findings.signedAt = signedAt
    findings.skewSeconds = skewSeconds
    if (Math.abs(skewSeconds) > toleranceSeconds) return 'outside_window'

    const delivery: Delivery = {
      body,
      signedAt,
      signedBy,
      receivedAt: new Date(receivedAt),
      headers: pickHeaders(header),
    }
    if (findings.isCheck) delivery.isCheck = true
    return await store(delivery, header, deadline, findings)
  }

  async function store(
    delivery: Delivery,
    header: Headers,
    deadline: Deadline,
    findings: Findings,
  ): Promise<Reason> {
    const parsed = parseEvent(delivery.body)
    // Only now, so that a sender without a secret cannot take the slot of an authentic delivery.
    if (!slots.take(deadline)) {
      const createdAt = 'event' in parsed ? parsed.event.created_at : undefined
      findings.retryAfterSeconds = retryAfterSeconds(createdAt, delivery.receivedAt.getTime())
      return 'overloaded'
    }
    try {
      const storing = storeDelivery(delivery, parsed, header, inbox, findings)
      const stored = await withinDeadline(deadline, storing)
      return stored === deadlineReached ? 'store_timeout' : stored
    } finally {
      slots.give(deadline)
    }
  }

  async function isMark(
    mark: string,
    body: Uint8Array,
    secrets: readonly Secret[],
  ): Promise<boolean> {
    const signature = parseSignature(mark)
    if (!signature) return false
    return (await findSigner(signature, checkBytes(body), secrets)) !== undefined
  }

  function stop(): Promise<void> {
    isStopping = true
    if (answering === 0) return Promise.resolve()
    return new Promise((resolve) => void waitingForIdle.push(resolve))
  }

  function reportIdle(): void {
    if (answering > 0 || waitingForIdle.length === 0) return
    // Not at once: an adapter gives the last answer to its server once `receive` has resolved.
    for (const resolve of waitingForIdle.splice(0)) setTimeout(resolve)
  }
}

/** The signature to verify, or the reason why the request is rejected whatever its body is. */
function readHead({ method }: ReceiverRequest, header: Headers): Signature | Reason {
  if (method !== 'POST') return 'method_not_allowed'
  const encoding = header('content-encoding')
  if (encoding !== undefined && !isIdentity(encoding)) return 'content_encoding'
  const signature = header('feed-signature')
  if (signature === undefined) return 'signature_missing'
  return parseSignature(signature) ?? 'signature_malformed'
}

/** Calls a listener without waiting: its error must not change the answer or end the process. */
function notify(listener: (seen: Observation) => unknown, seen: Observation): void {
  try {
    const result = listener(seen)
    if (result !== undefined) Promise.resolve(result).catch(() => undefined)
  } catch {}
}
