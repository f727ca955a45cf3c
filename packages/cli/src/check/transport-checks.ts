import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Check, Checks } from './check.ts'
import type { Delivery, Target } from './target.ts'
import { accepted, hasStatus, judge, judgeEach } from './verdict.ts'

/** What must hold before anything else can be learnt of a receiver. */
export const gateChecks: Checks = {
  reachable: {
    title: 'Answers a POST over HTTP',
    why: 'A destination that cannot be reached gets eight attempts in 63.5 minutes, and then nothing.',
    fix: 'Start the receiver, and check host, port, certificate and firewall of the URL.',
    expect: judge(({ status }) => (status === null ? 'failed' : 'passed')),
  },
  no_redirect: {
    title: 'Answers itself and does not redirect',
    why: 'The service follows no redirect: each one is a failed attempt.',
    fix:
      'Register the final URL: https, the right host, and with or without the slash at its ' +
      'end as the route has it.',
    expect: judge((answer) => {
      return answer.status === null || hasStatus(answer, 300, 399) ? 'failed' : 'passed'
    }),
  },
  authentic: {
    title: 'Accepts an authentic delivery',
    why: 'Until this holds, the destination cannot become active.',
    fix:
      'Check that this run has the secret of the receiver, whole, with feed_whsec_ before it; ' +
      'that the HMAC-SHA256 covers "<t>." and the body; and that both clocks are right.',
  },
}

/** HTTP as proxies, networks and later versions of the service may speak it. */
export const transportChecks: Checks = {
  answers_in_time: {
    title: 'Answers within 10 s',
    why: 'The service gives up after 10 s and sends the event again, however the work ends.',
    fix: 'Store the event, answer, and do the work afterwards from a queue.',
    // Not a destination_test: many receivers do no work for one.
    send: { body: (event) => ({ ...event, type: 'release_note' }) },
    expect: judge((answer) => (answer.durationMs > 10_000 ? 'failed' : accepted(answer).outcome)),
  },
  content_type_plain: contentType('text/plain', ['text/plain']),
  content_type_missing: contentType('missing', [undefined]),
  content_type_charset: contentType('JSON with another charset', [
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
  ]),
  content_type_other: contentType('of a form, or nonsense', [
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'nonsense',
  ]),
  header_case: {
    title: 'Takes the names of headers in any case',
    why: 'HTTP/2 and many proxies write them in lower case.',
    fix: 'Look headers up without regard to case.',
    send: { hasLowerCaseNames: true },
  },
  chunked: {
    title: 'Accepts a chunked body without Content-Length',
    why: 'Proxies send bodies on in chunks.',
    fix: 'Read the body to its end rather than as much as Content-Length says.',
    send: { manner: { chunkBytes: 17 } },
  },
  large_body: {
    title: 'Accepts a body of 900 KB',
    why: 'Body parsers stop at 100 KB unless told otherwise, and some answer 400.',
    fix: 'Raise the limit to 1 MiB, in the framework and in the proxy before it.',
    send: { data: { benchmark: { current: { notes: 'x'.repeat(900_000) } } } },
  },
  slow_body: {
    title: 'Accepts a body that takes 2.5 s to arrive',
    why:
      'Networks stall. The service waits 10 s for all of it, so a quarter of that is nothing ' +
      'unusual.',
    fix: 'Give the body seconds, and answer 503 or 408 where it does not come: never 400.',
    send: { manner: { dripMs: 2_500 } },
  },
  expect_continue: {
    title: 'Accepts a body announced with Expect: 100-continue',
    why: 'HTTP clients announce larger bodies so, and wait for leave to send them.',
    fix: 'Answer 100 Continue, as HTTP servers do unless told otherwise, or just read the body.',
    send: { headers: { Expect: '100-continue' }, manner: { awaitsContinue: true } },
  },
  keep_alive: {
    title: 'Takes one delivery after another on one connection',
    why: 'What is left unread of a refused body is taken for the beginning of the next request.',
    fix: 'Read a body to its end before answering, or close the connection with the answer.',
    run: keepAlive,
  },
}

function contentType(what: string, types: (string | undefined)[]): Check {
  const each = types.map((type): [string, Delivery] => {
    return [type ?? 'no Content-Type', { headers: { 'Content-Type': type } }]
  })
  return {
    title: `Accepts a delivery whose Content-Type is ${what}`,
    why:
      'Frameworks choose a parser by the content type, and answer 400 or 415 where they have ' +
      'none; proxies change it.',
    fix:
      'Read the bytes whatever Content-Type says: it is not signed, and the body is JSON in any ' +
      'case.',
    each: Object.fromEntries(each),
  }
}

async function keepAlive({ deliver, makeEvent, url }: Target) {
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = async (how: Delivery = {}) => {
    const delivery = { ...how, agent, event: makeEvent() }
    const answer = await deliver(delivery)
    // A server may close an idle connection just as the next request sets out on it.
    return answer.status === null && answer.reused ? deliver(delivery) : answer
  }
  try {
    const first = await once()
    await once({ secret: 'feed_whsec_of_nobody_at_all' })
    const afterForged = await once()
    return await judgeEach(
      { first, 'after a forged one': afterForged, last: await once() },
      accepted,
    )
  } finally {
    agent.destroy()
  }
}
