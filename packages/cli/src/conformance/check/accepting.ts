import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Answer } from './send-request.ts'
import type { Trap } from '../traps/find-trap.ts'
import { wrongSecret, type Delivery, type Target } from './target.ts'
import {
  accepted,
  acceptedInTime,
  answered,
  evaluateEach,
  group,
  hasStatus,
  notPausing,
  notRedirected,
  rejectedAsStale,
  sending,
  sendingEach,
  type Check,
} from './verdict.ts'

const rawBody = (what: string, delivery: Delivery) => ({
  title: `Accepts a body with ${what}`,
  why: 'The signature covers the raw body. JSON that is parsed and serialized again has other bytes, and the resulting 401 pauses the feed.',
  fix: 'Verify the raw body before any parser: in Express with express.raw, in other frameworks with their access to the raw body.',
  run: sending(accepted, delivery),
})

const contentType = (what: string, values: readonly (string | null)[]) => ({
  title: `Accepts a delivery whose Content-Type is ${what}`,
  why: 'Frameworks choose a parser by the content type, and answer 400 or 415 if they have none. Proxies change the content type.',
  fix: 'Read the raw body whatever the Content-Type is: the header is not signed, and the body is always JSON.',
  run: sendingEach(
    accepted,
    Object.fromEntries(
      values.map((value) => [value ?? 'no Content-Type', { headers: { 'Content-Type': value } }]),
    ),
  ),
})

/** Deliveries of the service, in every form that a receiver must accept. */
export const acceptingChecks: Check[] = [
  ...group('Reachability', 'gate', {
    reachable: {
      title: 'Answers a POST over HTTP',
      why: 'The service makes eight attempts in 63.5 minutes. After that the event is lost.',
      fix: 'Start the receiver, and check the host, port, certificate and firewall.',
      run: sending(answered, {}),
    },
    no_redirect: {
      title: 'Answers itself and does not redirect',
      why: 'The service follows no redirects: each one is a failed attempt.',
      fix: 'Register the final URL: https, the right host, and a trailing slash only if the route has one.',
      run: sending(notRedirected, {}),
    },
    authentic: {
      title: 'Accepts an authentic delivery',
      why: 'The destination becomes active only after such an answer.',
      fix: 'Check that this run has the complete secret of the receiver, including feed_whsec_. Check that the HMAC-SHA256 covers "<t>." and the body, and that both clocks are right.',
      /** It tells the answers of a login page or a router from those that a wrong secret causes. */
      async run({ deliver }) {
        const answer = await deliver()
        const verdict = accepted(answer)
        const trap =
          verdict.outcome === 'passed' ? undefined : (verdict.trap ?? otherAnswer(answer))
        return { ...verdict, ...(trap && { trap }) }
      },
    },
  }),
  ...group('Raw bytes', 'together', {
    raw_whitespace: rawBody('extra white space', {
      body: (_, event) => `\r\n\t ${JSON.stringify(event, null, '\t ')} \n\n`,
    }),
    raw_key_order: rawBody('members in an unusual order', {
      isReversed: true,
      current: '{"20":"b","10":"a"}',
    }),
    raw_escapes: rawBody('unusual JSON escapes', {
      current: '{"l\\u0061bel":"\\u0041\\/\\u00e9\\ud83d\\ude80"}',
    }),
    raw_non_ascii: rawBody('non-ASCII characters', {
      data: { title: 'Prüfung – 模型 🚀 \u2028 e\u0301' },
    }),
    raw_duplicate_keys: rawBody('a duplicate member', { current: '{"rank":1,"rank":2}' }),
    raw_numbers: rawBody('numbers beyond double precision', {
      current: '{"votes":9007199254740993,"rank":1.0,"cost":1E2,"delta":-0}',
    }),
  }),
  ...group('Clock', 'together', {
    // The window is 300 s around the clock of the receiver, on both sides.
    late: {
      title: 'Rejects a delivery signed 20 minutes ago',
      why: 'A captured delivery could be replayed at any time.',
      fix: 'After the signature is verified, compare t with your clock, and answer 503 if they differ by more than 300 s. Then a wrong clock costs retries, while a 401 would pause the feed.',
      run: sending(rejectedAsStale, { offsetSeconds: -1200 }),
    },
    future: {
      title: 'Rejects a delivery signed 20 minutes ahead',
      why: 'A delivery with a future timestamp can be replayed until that time has passed.',
      fix: 'Compare the absolute difference of t and your clock. Several libraries check only the past.',
      run: sending(rejectedAsStale, { offsetSeconds: 1200 }),
    },
    within_window: {
      title: 'Accepts deliveries signed 4 minutes ago and ahead',
      why: 'Clocks drift, and deliveries wait in queues. The tolerance is 300 s on both sides.',
      fix: 'Allow 300 s (t is in seconds, not in milliseconds), and synchronize the clock of the machine.',
      run: sendingEach(accepted, {
        '240 s ago': { offsetSeconds: -240 },
        '240 s ahead': { offsetSeconds: 240 },
      }),
    },
  }),
  ...group('Future events', 'together', {
    unknown_type: {
      title: 'Accepts an event of an unknown type',
      why: 'The set of types is open. A receiver that rejects unknown types pauses the feed when the service adds one.',
      fix: 'Store events of unknown types and answer 2xx, even if you have no handler for them.',
      run: sending(accepted, { members: { type: 'check_of_an_unknown_type' } }),
    },
    unknown_members: {
      title: 'Accepts an event with unknown members',
      why: 'The service adds members without a new version.',
      fix: 'Validate the members that you need, and ignore the others.',
      run: sending(accepted, {
        data: { severity: 3, tags: ['a', { b: null }] },
        members: { trace: { id: 'abc' } },
      }),
    },
    unknown_values: {
      title: 'Accepts an unknown category and unknown evidence',
      why: 'Both sets of values are open.',
      fix: 'Accept any string for data.category and data.evidence.',
      run: sending(accepted, { data: { category: 'datasets', evidence: 'repository_commit' } }),
    },
    null_members: {
      title: 'Accepts null wherever the interface allows it',
      why: 'Many events have no summary, no publication time or no subject.',
      fix: 'Allow null for data.summary, data.source_published_at, data.subject.type and data.subject.key.',
      run: sending(accepted, {
        data: { subject: { type: null, key: null }, summary: null, source_published_at: null },
      }),
    },
    schema_version: {
      title: 'Does not pause the feed over schema_version 2.0',
      why: 'One delivery of a later version would pause the feed of all events that you can read.',
      fix: 'Put it in quarantine and answer 202.',
      run: sending(notPausing, { members: { schema_version: '2.0' } }),
    },
  }),
  ...group('HTTP', 'together', {
    // Not a destination_test, because many receivers do not handle one.
    answers_in_time: {
      title: 'Answers within 10 s',
      why: 'The service times out after 10 s and retries, even if your handler succeeds.',
      fix: 'Store the event, answer, and handle it afterwards from a queue.',
      run: sending(acceptedInTime, { members: { type: 'release_note' } }),
    },
    content_type_plain: contentType('text/plain', ['text/plain']),
    content_type_missing: contentType('missing', [null]),
    content_type_charset: contentType('JSON with another charset', [
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
    ]),
    content_type_other: contentType('a form or invalid', [
      'application/x-www-form-urlencoded',
      'application/octet-stream',
      'nonsense',
    ]),
    header_case: {
      title: 'Accepts header names in any case',
      why: 'HTTP/2 and many proxies send lowercase header names.',
      fix: 'Look headers up case-insensitively.',
      run: sending(accepted, { hasLowerCaseNames: true }),
    },
    chunked: {
      title: 'Accepts a chunked body without Content-Length',
      why: 'Proxies forward bodies in chunks.',
      fix: 'Read the body to its end, and do not rely on Content-Length.',
      run: sending(accepted, { pacing: { chunkBytes: 17 } }),
    },
    large_body: {
      title: 'Accepts a body of 900 KB',
      why: 'Body parsers have a default limit of 100 KB, and some answer 400 above it.',
      fix: 'Raise the limit to 1 MiB, in the framework and in the proxy in front of it.',
      run: sending(accepted, { current: `{"notes":"${'x'.repeat(900_000)}"}` }),
    },
    slow_body: {
      title: 'Accepts a body that takes 2.5 s to arrive',
      why: 'Networks stall. The service waits up to 10 s, so a body may take a quarter of that.',
      fix: 'Wait some seconds for the body, and answer 503 or 408 if it does not arrive, never 400.',
      run: sending(accepted, { pacing: { dripMs: 2500 } }),
    },
    expect_continue: {
      title: 'Accepts a body announced with Expect: 100-continue',
      why: 'HTTP clients announce larger bodies this way, and wait for 100 Continue before they send them.',
      fix: 'Answer 100 Continue, which HTTP servers do by default, or just read the body.',
      run: sending(accepted, {
        headers: { Expect: '100-continue' },
        pacing: { awaitsContinue: true },
      }),
    },
    keep_alive: {
      title: 'Accepts several deliveries on one connection',
      why: 'The unread rest of a rejected body is parsed as the start of the next request.',
      fix: 'Read a body to its end before answering, or close the connection with the answer.',
      run: keepAlive,
    },
  }),
]

async function keepAlive({ deliver, makeEvent, url }: Target) {
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = async (how: Delivery = {}) => {
    const delivery = { ...how, agent, event: makeEvent() }
    const answer = await deliver(delivery)
    // A server may close an idle connection just when the next request starts on it.
    return answer.status === null && answer.reused ? deliver(delivery) : answer
  }
  try {
    const first = await once()
    await once({ secret: wrongSecret })
    const afterForged = await once()
    return await evaluateEach(
      { first, 'after a forged delivery': afterForged, last: await once() },
      accepted,
    )
  } finally {
    agent.destroy()
  }
}

/**
 * The trap of an answer to an authentic delivery that is not of the form of the kit, so that the
 * secret may not be the cause; undefined for any other answer.
 */
function otherAnswer(answer: Answer): Trap | undefined {
  if (answer.status === null || answer.isOwn) return undefined
  if (hasStatus(answer, 404, 405)) return noRoute
  return hasStatus(answer, 401, 401) || hasStatus(answer, 403, 403) ? notLetIn : undefined
}

const noRoute: Trap = {
  name: 'no_route',
  who: 'a program that has no route for this URL',
  why: 'A receiver of this kit answers every request on its route with an error and a code.',
  fix: 'Compare the URL with the path where the receiver is mounted, and with the prefix that a proxy adds or removes. Mount the route before the server listens, for POST.',
  page: 'docs/conformance.md',
}

const notLetIn: Trap = {
  name: 'not_let_in',
  who: 'something other than a receiver of this kit',
  why: 'A receiver of this kit answers with an error and a code. A login page, a CSRF filter or a firewall may stand before it, and then the secret is not the cause.',
  fix: 'Let a POST to this URL through without a login, a token or a CSRF check, because its signature is its authentication. If the receiver is your own code, check that it has the complete secret, including feed_whsec_, and that its HMAC-SHA256 covers "<t>." and the body.',
  page: 'docs/conformance.md',
}
