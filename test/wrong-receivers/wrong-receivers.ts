import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import express from 'express'
import { Pool } from 'pg'
import type { EventStore } from './event-store.ts'
import { fastifyParser } from './fastify-parser.ts'
import { path, type Change } from './make-receiver.ts'
import {
  isInTime,
  isMislabelled,
  sign,
  type ReadEvent,
  type ReceiverOptions,
} from './right-steps.ts'
import { readStrictly } from './strict-schema.ts'

/** A receiver with one fault, and what a run finds in it. */
export interface WrongReceiver {
  /** What it does wrong. */
  fault: string
  /** How it differs from a right one. */
  change?: Change
  /** Makes it, if it is no Express app. */
  make?: (options: ReceiverOptions) => Server
  /** The checks that fail; the first one names the fault. */
  failed?: readonly string[]
  /** The checks that warn. */
  warnings?: readonly string[]
}

const rewritten = ['raw_key_order', 'raw_escapes', 'raw_duplicate_keys', 'raw_numbers']
const unreadable = ['not_json', 'byte_order_mark', 'nul']
const contentTypes = ['content_type_plain', 'content_type_missing', 'content_type_other']

const started = new WeakSet<EventStore>()

/** By name. */
export const wrongReceivers = {
  // First, since it takes the longest.
  'works-before-answer': {
    fault: 'does its work before it answers; only a test delivery is quick',
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
    fault: 'verifies nothing',
    change: () => ({ refuse: () => undefined }),
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
    fault: 'answers before it stores, so that a crash between the two loses the event',
    change: (_, { store }) => ({
      async keep({ id }) {
        setTimeout(() => void store.insertOnce(id), 1_500)
        return 202
      },
    }),
    failed: ['stored_before_answer'],
  },
  'any-case': {
    fault: 'accepts the digits of a signature in upper case as well',
    change: ({ readSignature }) => ({
      readSignature: (header) => readSignature(header) ?? readSignature(header?.toLowerCase()),
    }),
    failed: ['signature_upper_case'],
  },
  'bad-json-is-400': {
    fault: 'answers 400 to a body that is not JSON, as every framework does by default',
    change: () => ({ unreadable: (body) => (isJson(body) ? 202 : 400) }),
    failed: unreadable,
  },
  'bans-connections': {
    fault: 'rejects everything on a connection on which something forged has come',
    change() {
      const banned = new WeakSet<Socket>()
      return {
        refuse(status, { socket }) {
          if (status === 401) banned.add(socket)
          return banned.has(socket) ? 403 : status
        },
      }
    },
    failed: ['keep_alive'],
  },
  'decodes-as-latin1': {
    fault: 'verifies the body as Latin-1, in which only ASCII stays what it was',
    change: () => ({ signedBytes: (bytes) => Buffer.from(bytes.toString('latin1')) }),
    failed: ['raw_non_ascii', 'byte_order_mark', 'invalid_utf8'],
  },
  'decodes-first': {
    fault: 'verifies the text of the body, which has other bytes if it is not UTF-8',
    change: () => ({ signedBytes: (bytes) => Buffer.from(bytes.toString('utf8')) }),
    failed: ['invalid_utf8'],
  },
  'duplicate-is-400': {
    fault: 'answers a duplicate as a mistake of the sender, which pauses the feed',
    change: (_, { store }) => ({
      keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 400),
    }),
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'same_id_other_bytes', 'restart'],
  },
  'duplicate-is-409': {
    fault: 'answers a duplicate as a conflict, so that it is sent again and again',
    change: (_, { store }) => ({
      keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 409),
    }),
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'restart'],
    warnings: ['same_id_other_bytes'],
  },
  'ends-on-header': {
    fault: 'ends its process over a header without v1, as an uncaught error does',
    change: ({ readSignature }) => ({
      readSignature(header = '') {
        if (header !== '' && !header.includes('v1=')) process.exit(1)
        return readSignature(header)
      },
    }),
    failed: ['signature_malformed'],
  },
  'fastify-parser': {
    fault: 'leaves content types and JSON to the framework, whose parsers answer 400 and 415',
    make: fastifyParser,
    failed: [...contentTypes, 'member_names', 'not_json', 'nul'],
    warnings: ['not_an_event'],
  },
  'forgets-on-restart': {
    fault: 'remembers in memory what it has stored; a deployment lets every retry in again',
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
    fault: 'takes the id from a header that nobody has signed',
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
    fault: 'answers 400 if the header has another id than the body; a proxy can do that',
    change: () => ({ mislabelledStatus: 400 }),
    failed: ['event_id_header_differs'],
  },
  impatient: {
    fault: 'gives the body one second',
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
    fault: 'answers 415 to every Content-Type but the usual one',
    change: () => ({
      guard: (request) => (request.get('content-type') === 'application/json' ? undefined : 415),
    }),
    failed: [...contentTypes, 'content_type_charset'],
  },
  'jsonb-is-400': {
    fault: 'stores the event as jsonb, and blames the sender for what the database refuses',
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
    fault: 'has a handler for each known type, and answers 500 to the first new one',
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
    fault: 'answers a late delivery like a forged one, which pauses the feed',
    change: () => ({ lateStatus: 401 }),
    warnings: ['late', 'future'],
  },
  'look-then-insert': {
    fault: 'looks before it inserts, without a constraint; two at once are stored twice',
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
    fault: 'picks t and v1 out of the header wherever they are',
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
    fault: 'allows a minute instead of five, so that a slow clock stops the feed',
    change: () => ({ isInTime: (signature) => isInTime(signature, 60) }),
    failed: ['within_window'],
  },
  'needs-length': {
    fault: 'demands a Content-Length, which chunked bodies do not have',
    change: () => ({
      guard: (request) => (request.get('content-length') === undefined ? 411 : undefined),
    }),
    failed: ['chunked'],
  },
  'new-version-is-400': {
    fault: 'answers 400 to an unknown schema_version, and so stops those that it can read',
    change: () => ({
      unreadable: (body) => (/"schema_version":"(?!1\.0")/.test(body.toString()) ? 400 : 202),
    }),
    failed: ['schema_version'],
  },
  'no-clock': {
    fault: 'never looks at the time of a signature, so that a captured delivery stays good',
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
    fault: 'knows one secret only, so that a rotation stops the feed for a day',
    change: ({ secrets }) => ({ secrets: secrets.slice(0, 1) }),
    failed: ['rotation'],
  },
  'past-only': {
    fault: 'looks for old signatures only, as several libraries do',
    change: () => ({ isInTime: ({ time }) => Date.now() / 1_000 - Number(time) <= 300 }),
    failed: ['future'],
  },
  'prefix-compare': {
    fault: 'compares only as many digits as the header has, so that one can be guessed',
    change: () => ({
      readSignature(header = '') {
        const [, time = '', v1] = /^t=(\d+),v1=([0-9a-f]+)(?!\w)/.exec(header) ?? []
        return v1 === undefined ? undefined : { time, signatures: [v1] }
      },
      isSigned: ({ time, signatures: [v1 = ''] }, body, secrets) =>
        secrets.some((secret) => sign(secret, time, body).startsWith(v1)),
    }),
    failed: ['signature_cut', 'signature_two_v1'],
    warnings: ['signature_doubled'],
  },
  'race-is-500': {
    fault: 'looks before it inserts; of two at once, one meets the constraint, a 500',
    change: (_, { store }) => ({
      async keep({ id }) {
        if (await store.has(id)) return 200
        return (await store.insertOnce(id)) ? 202 : 500
      },
    }),
    failed: ['duplicates_at_once'],
  },
  'reads-exact-names': {
    fault: 'finds its headers only if they are written as the documentation writes them',
    change: () => ({
      guard: ({ rawHeaders }) => (rawHeaders.includes('Feed-Signature') ? undefined : 401),
    }),
    failed: ['header_case'],
  },
  redirects: {
    fault: 'has moved and redirects there; the service does not follow',
    change: () => ({ guard: (_, response) => (response.location(`${path}/`), 308) }),
    failed: ['no_redirect'],
  },
  'refuses-expect': {
    fault: 'does not let a client ask before it sends its body',
    change: () => ({
      onServer(server) {
        server.on('checkContinue', (_, response) => response.writeHead(417).end())
      },
    }),
    failed: ['expect_continue'],
  },
  'rewritten-json': {
    fault: 'verifies the JSON that a parser has read and written anew',
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
    fault: 'leaves the limit of the body at the 100 KB of the framework',
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
    fault: 'holds an event to a closed schema, and answers 422 if the service has moved on',
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
    fault: 'takes feed_whsec_ off the secret, as if it were only a label',
    change: ({ secrets }) => ({ secrets: secrets.map((each) => each.replace('feed_whsec_', '')) }),
    failed: ['authentic'],
  },
  'throws-on-header': {
    fault: 'assumes that the header has its parts, and answers 500 if it has not',
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
    fault: 'trims the body, a byte order mark included, before it verifies it',
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
