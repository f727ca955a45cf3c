import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import express from 'express'
import { Pool } from 'pg'
import type { EventStore } from './event-store.ts'
import { fastifyParser } from './fastify-parser.ts'
import { makeReceiver, path, type Change } from './make-receiver.ts'
import {
  isInTime,
  isMislabelled,
  sign,
  type ReadEvent,
  type ReceiverOptions,
} from './right-steps.ts'
import { readStrictly } from './strict-schema.ts'

/** A receiver with one mistake, and the checks that find it. */
export interface WrongReceiver {
  /** The mistake, as a phrase without a subject. */
  fault: string
  /** Its difference from a right receiver. */
  change?: Change
  /** Creates it, if it is not an Express app. */
  make?: (options: ReceiverOptions) => Server
  /** The checks that fail; the first one is about this mistake. */
  failed?: readonly string[]
  /** The checks that warn. */
  warnings?: readonly string[]
}

/** How to make a wrong receiver. */
export function makerOf({ change, make }: WrongReceiver): (options: ReceiverOptions) => Server {
  return make ?? ((options) => makeReceiver(options, change))
}

const rewritten = ['raw_key_order', 'raw_escapes', 'raw_duplicate_keys', 'raw_numbers']
const unreadable = ['not_json', 'byte_order_mark', 'nul']
const contentTypes = ['content_type_plain', 'content_type_missing', 'content_type_other']

const started = new WeakSet<EventStore>()

/** By name. */
export const wrongReceivers = {
  // First, because it takes the longest.
  'works-before-answer': {
    fault: 'handles the event before it answers, and is fast only for test deliveries',
    change: (right) => ({
      async keep(event, body) {
        const status = await right.keep(event, body)
        if (event.type === 'release_note') await delay(10_300)
        return status
      },
    }),
    failed: ['answers_in_time'],
  },
  'accepts-everything': {
    fault: 'verifies neither the signature nor the timestamp',
    change: () => ({ reject: () => undefined }),
    failed: [
      'tampered_body',
      'tampered_time',
      'wrong_secret',
      'signature_missing',
      'signature_malformed',
      'signature_upper_case',
      'signature_cut',
      'late',
      'future',
      'forged_not_stored',
    ],
    warnings: ['signature_time_form', 'signature_doubled'],
  },
  'answers-first': {
    fault: 'answers before it stores the event, so a crash in between loses it',
    change: (_, { store }) => ({
      async keep({ id }) {
        setTimeout(() => void store.insertOnce(id), 1_500)
        return 202
      },
    }),
    failed: ['stored_before_answer'],
  },
  'any-case': {
    fault: 'also accepts a signature in uppercase hex',
    change: ({ readSignature }) => ({
      readSignature: (header) => readSignature(header) ?? readSignature(header?.toLowerCase()),
    }),
    failed: ['signature_upper_case'],
  },
  'bad-json-is-400': {
    fault: 'answers 400 to a body that is not JSON, as frameworks do by default',
    change: () => ({ unreadable: (body) => (isJson(body) ? 202 : 400) }),
    failed: unreadable,
  },
  'bans-connections': {
    fault: 'rejects every delivery on a connection that has carried a forged one',
    change() {
      const banned = new WeakSet<Socket>()
      return {
        reject(status, { socket }) {
          if (status === 401) banned.add(socket)
          return banned.has(socket) ? 403 : status
        },
      }
    },
    failed: ['keep_alive'],
  },
  'decodes-as-latin1': {
    fault:
      'decodes the body as Latin-1 before it verifies it, which changes every non-ASCII character',
    change: () => ({ signedBytes: (bytes) => Buffer.from(bytes.toString('latin1')) }),
    failed: ['raw_non_ascii', 'byte_order_mark', 'invalid_utf8'],
  },
  'decodes-first': {
    fault: 'decodes the body as UTF-8 before it verifies it, which replaces invalid bytes',
    change: () => ({ signedBytes: (bytes) => Buffer.from(bytes.toString('utf8')) }),
    failed: ['invalid_utf8'],
  },
  'duplicate-is-400': {
    fault: 'answers 400 to a duplicate, which pauses the feed',
    change: (_, { store }) => ({
      keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 400),
    }),
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'same_id_other_bytes', 'restart'],
  },
  'duplicate-is-409': {
    fault: 'answers 409 to a duplicate, so the service retries it',
    change: (_, { store }) => ({
      keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 409),
    }),
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'restart'],
    warnings: ['same_id_other_bytes'],
  },
  'ends-on-header': {
    fault: 'crashes on a signature header without v1, because it does not catch the error',
    change: ({ readSignature }) => ({
      readSignature(header = '') {
        if (header !== '' && !header.includes('v1=')) process.exit(1)
        return readSignature(header)
      },
    }),
    failed: ['signature_malformed'],
  },
  'fastify-parser': {
    fault:
      'leaves content types and JSON to the parsers of the framework, which answer 400 and 415',
    make: fastifyParser,
    failed: [...contentTypes, 'member_names', 'not_json', 'nul'],
    warnings: ['not_an_event'],
  },
  'forgets-on-restart': {
    fault: 'remembers stored ids only in memory, so it stores retries again after a restart',
    change(_, { store }) {
      const known = new Set<string>()
      return {
        async keep({ id }) {
          if (known.has(id)) return 200
          known.add(id)
          await store.insert(id)
          return 202
        },
      }
    },
    failed: ['stored_once_after_restart'],
  },
  'header-is-key': {
    fault: 'takes the event id from an unsigned header',
    change: (_, { store }) => ({
      readEvent(_body, request) {
        const id = request.get('feed-event-id')
        return id === undefined ? undefined : { id, type: '', schema_version: '', data: {} }
      },
      unreadable: () => 400,
      keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 200),
    }),
    failed: ['key_from_body', 'event_id_header_missing'],
  },
  'header-must-match': {
    fault: 'answers 400 if the id in the header differs from the body, which a proxy can cause',
    change: () => ({ mislabelledStatus: 400 }),
    failed: ['event_id_header_differs'],
  },
  impatient: {
    fault: 'waits only one second for the body',
    change: ({ parser }) => ({
      parser(request, response, next) {
        const timer = setTimeout(() => response.sendStatus(408), 1_000)
        request.once('end', () => clearTimeout(timer))
        parser(request, response, (error) => response.headersSent || next(error))
      },
    }),
    failed: ['slow_body'],
  },
  'json-only': {
    fault: 'answers 415 to every Content-Type except application/json',
    change: () => ({
      guard: (request) => (request.get('content-type') === 'application/json' ? undefined : 415),
    }),
    failed: [...contentTypes, 'content_type_charset'],
  },
  'jsonb-is-400': {
    fault: 'stores the event as jsonb, and answers 400 if the database rejects it',
    change(_, { databaseUrl }) {
      const pool = new Pool({ connectionString: databaseUrl })
      const keep = async (event: ReadEvent | undefined, body: Buffer) => {
        try {
          const id = event?.id ?? JSON.parse(body.toString()).id
          const insert = 'insert into jsonb_event values ($1, $2) on conflict do nothing'
          await pool.query(insert, [id, body.toString()])
          return 202
        } catch {
          return 400
        }
      }
      return {
        keep,
        unreadable: (body) => keep(undefined, body),
        onServer: (server) => void server.on('close', () => void pool.end()),
      }
    },
    failed: ['lone_surrogate', 'long_id', 'not_an_event', ...unreadable],
  },
  'known-types-only': {
    fault: 'answers 500 to an event type that has no handler',
    change: (right) => ({
      async keep(event, body) {
        const status = await right.keep(event, body)
        return ['destination_test', 'release_note'].includes(event.type) ? status : 500
      },
    }),
    failed: ['unknown_type'],
    warnings: ['member_names'],
  },
  'late-is-401': {
    fault: 'answers 401 to a late delivery, which pauses the feed',
    change: () => ({ lateStatus: 401 }),
    warnings: ['late', 'future'],
  },
  'look-then-insert': {
    fault:
      'looks up the id instead of using a unique constraint, so it stores concurrent duplicates',
    change: (_, { store }) => ({
      async keep({ id }) {
        if (await store.has(id)) return 200
        await store.insert(id)
        return 202
      },
    }),
    failed: ['stored_once'],
  },
  'loose-form': {
    fault: 'finds t and v1 anywhere in the header instead of requiring its exact form',
    change: () => ({
      readSignature(header = '') {
        const t = Number.parseInt(header.slice(header.lastIndexOf('t=') + 2), 10)
        const v1 = header.matchAll(/v1=([0-9a-f]{64})(?![0-9a-z])/g)
        return { time: String(t), signatures: [...v1].map(([, hex = '']) => hex) }
      },
    }),
    warnings: ['signature_time_form'],
  },
  'mounts-late': {
    fault: 'mounts its route five seconds after a restart, and answers 404 until then',
    change(_, { store }) {
      const mountedAt = Date.now() + (started.has(store) ? 5_000 : 0)
      started.add(store)
      return { guard: () => (Date.now() < mountedAt ? 404 : undefined) }
    },
    failed: ['restart'],
  },
  'narrow-window': {
    fault:
      'tolerates one minute of clock skew instead of five, so a wrong clock rejects every delivery',
    change: () => ({ isInTime: (signature) => isInTime(signature, 60) }),
    failed: ['within_window'],
  },
  'needs-length': {
    fault: 'requires a Content-Length, which chunked bodies do not have',
    change: () => ({
      guard: (request) => (request.get('content-length') === undefined ? 411 : undefined),
    }),
    failed: ['chunked'],
  },
  'new-version-is-400': {
    fault: 'answers 400 to an unknown schema_version, which pauses the feed for all events',
    change: () => ({
      unreadable: (body) => (/"schema_version":"(?!1\.0")/.test(body.toString()) ? 400 : 202),
    }),
    failed: ['schema_version'],
  },
  'no-clock': {
    fault: 'does not check the timestamp, so a captured delivery can be replayed at any time',
    change: () => ({ isInTime: () => true }),
    failed: ['late', 'future'],
  },
  'one-form': {
    fault: 'rejects a header with a second signature or scheme',
    change: ({ readSignature }) => ({
      readSignature: (header = '') =>
        /^t=\d+,v1=[0-9a-f]{64}$/.test(header) ? readSignature(header) : undefined,
    }),
    failed: ['signature_two_v1', 'signature_other_scheme'],
  },
  'one-secret': {
    fault: 'accepts only one secret, so a rotation pauses the feed',
    change: ({ secrets }) => ({ secrets: secrets.slice(0, 1) }),
    failed: ['rotation'],
  },
  'past-only': {
    fault: 'rejects old timestamps but accepts future ones, as several libraries do',
    change: () => ({ isInTime: ({ time }) => Date.now() / 1_000 - Number(time) <= 300 }),
    failed: ['future'],
  },
  'prefix-compare': {
    fault:
      'compares only as many digits as the header has, so a forger needs to guess only one digit',
    change: () => ({
      readSignature(header = '') {
        const [, time = '', v1] = /^t=(\d+), ?v1=([0-9a-f]+)(?!\w)/.exec(header) ?? []
        return v1 === undefined ? undefined : { time, signatures: [v1] }
      },
      isSigned: ({ time, signatures: [v1 = ''] }, body, secrets) =>
        secrets.some((secret) => sign(secret, time, body).startsWith(v1)),
    }),
    failed: ['signature_cut', 'signature_two_v1'],
    warnings: ['signature_doubled'],
  },
  'race-is-500': {
    fault: 'looks up the id first, and answers 500 if a concurrent insert violates the constraint',
    change: (_, { store }) => ({
      async keep({ id }) {
        if (await store.has(id)) return 200
        return (await store.insertOnce(id)) ? 202 : 500
      },
    }),
    failed: ['duplicates_at_once'],
  },
  'reads-exact-names': {
    fault: 'looks up its headers by case-sensitive names',
    change: () => ({
      guard: ({ rawHeaders }) => (rawHeaders.includes('Feed-Signature') ? undefined : 401),
    }),
    failed: ['header_case'],
  },
  redirects: {
    fault: 'redirects to its new URL, although the service does not follow redirects',
    change: () => ({ guard: (_, response) => (response.location(`${path}/`), 308) }),
    failed: ['no_redirect'],
  },
  'refuses-expect': {
    fault: 'answers 417 to Expect: 100-continue',
    change: () => ({
      onServer(server) {
        server.on('checkContinue', (_, response) => response.writeHead(417).end())
      },
    }),
    failed: ['expect_continue'],
  },
  'rewritten-json': {
    fault: 'verifies JSON that was parsed and serialized again',
    change: () => ({
      parser: express.json({ type: () => true, limit: '2mb' }),
      bytesOf: ({ body }) => Buffer.from(JSON.stringify(body ?? '')),
    }),
    failed: [
      'raw_whitespace',
      ...rewritten,
      ...unreadable,
      'not_an_event',
      'invalid_utf8',
      'huge_numbers',
      'content_type_charset',
      'tampered_body',
    ],
    warnings: ['deep'],
  },
  'small-limit': {
    fault: 'has the default body limit of its framework, 100 KB',
    change: () => ({ parser: express.raw({ type: () => true }) }),
    failed: ['large_body'],
  },
  'stores-first': {
    fault: 'stores every delivery before it verifies it',
    change: ({ bytesOf, readEvent }, { store }) => ({
      async guard(request) {
        const event = readEvent(bytesOf(request), request)
        if (event && !isMislabelled(request, event)) await store.insertOnce(event.id)
      },
    }),
    failed: ['forged_not_stored'],
  },
  'strict-schema': {
    fault: 'validates events with a closed schema, and answers 422 to new members and values',
    change: () => ({ readEvent: readStrictly, unreadable: () => 422 }),
    failed: [
      'unknown_members',
      'unknown_values',
      'null_members',
      'huge_numbers',
      'not_an_event',
      ...unreadable,
    ],
  },
  'strips-prefix': {
    fault: 'removes the prefix feed_whsec_ from the secret',
    change: ({ secrets }) => ({ secrets: secrets.map((each) => each.replace('feed_whsec_', '')) }),
    failed: ['authentic'],
  },
  'throws-on-header': {
    fault: 'assumes that the signature header is complete, and answers 500 if it is not',
    change: ({ readSignature }) => ({
      readSignature(header) {
        const [t, v1] = (header as string).split(',').map((part) => part.split('=')[1] as string)
        if (!/^\d+$/.test(t as string)) throw new Error('That is no time.')
        return (v1 as string).length < 1 ? undefined : readSignature(header)
      },
    }),
    failed: ['signature_malformed', 'signature_missing', 'signature_time_form'],
  },
  'trims-body': {
    fault: 'trims the body, including a byte order mark, before it verifies it',
    change: () => ({ signedBytes: (bytes) => Buffer.from(bytes.toString().trim()) }),
    failed: ['raw_whitespace', 'byte_order_mark', 'invalid_utf8', 'tampered_body'],
  },
} satisfies Record<string, WrongReceiver>

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
