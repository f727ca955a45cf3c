import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Check, CheckGroup } from './check.ts'
import { describeAnswer } from './describe-answer.ts'
import type { Target } from './target.ts'
import { accepted, judgeEach } from './verdict.ts'

const contentTypeWhy =
  'Frameworks choose a parser by the content type, and answer 400 or 415 where they have none; ' +
  'proxies change it.'
const contentTypeFix =
  'Read the bytes whatever Content-Type says: it is not signed, and the body is JSON in any case.'

/** HTTP as proxies, networks and later versions of the service may speak it. */
export const transportChecks: CheckGroup = {
  title: 'HTTP',
  pace: 'together',
  checks: [
    {
      name: 'answers_in_time',
      title: 'Answers within 10 s',
      why: 'The service gives up after 10 s and sends the event again, however the work ends.',
      fix: 'Store the event, answer, and do the work afterwards from a queue.',
      async run({ deliver, makeEvent }) {
        // Not a destination_test: many receivers do no work for one.
        const answer = await deliver({ ...makeEvent(), type: 'release_note' })
        const isLate =
          answer.status === null ? answer.error === 'timeout' : answer.durationMs > 10_000
        return {
          outcome: isLate ? 'failed' : accepted(answer).outcome,
          seen: describeAnswer(answer),
        }
      },
    },
    contentTypeCheck('content_type_plain', 'text/plain', ['text/plain']),
    contentTypeCheck('content_type_missing', 'missing', [undefined]),
    contentTypeCheck('content_type_charset', 'JSON with another charset', [
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
    ]),
    contentTypeCheck('content_type_other', 'of a form, or nonsense', [
      'application/x-www-form-urlencoded',
      'application/octet-stream',
      'nonsense',
    ]),
    {
      name: 'header_case',
      title: 'Takes the names of headers in any case',
      why: 'HTTP/2 and many proxies write them in lower case.',
      fix: 'Look headers up without regard to case.',
      run: async ({ deliver, makeEvent }) =>
        accepted(await deliver(makeEvent(), { hasLowerCaseNames: true })),
    },
    {
      name: 'chunked',
      title: 'Accepts a chunked body without Content-Length',
      why: 'Proxies send bodies on in chunks.',
      fix: 'Read the body to its end rather than as much as Content-Length says.',
      async run({ deliver, makeEvent }) {
        return accepted(await deliver(makeEvent(), { manner: { chunkBytes: 17 } }))
      },
    },
    {
      name: 'large_body',
      title: 'Accepts a body of 900 KB',
      why: 'Body parsers stop at 100 KB unless told otherwise, and some answer 400.',
      fix: 'Raise the limit to 1 MiB, in the framework and in the proxy before it.',
      async run({ deliver, makeEvent }) {
        const benchmark = { current: { notes: 'x'.repeat(900_000) } }
        return accepted(await deliver(makeEvent({ data: { benchmark } })))
      },
    },
    {
      name: 'slow_body',
      title: 'Accepts a body that takes 2.5 s to arrive',
      why:
        'Networks stall. The service waits 10 s for all of it, so a quarter of that is nothing ' +
        'unusual.',
      fix: 'Give the body seconds, and answer 503 or 408 where it does not come: never 400.',
      async run({ deliver, makeEvent }) {
        return accepted(await deliver(makeEvent(), { manner: { dripMs: 2_500 } }))
      },
    },
    {
      name: 'expect_continue',
      title: 'Accepts a body announced with Expect: 100-continue',
      why: 'HTTP clients announce larger bodies so, and wait for leave to send them.',
      fix: 'Answer 100 Continue, as HTTP servers do unless told otherwise, or just read the body.',
      async run({ deliver, makeEvent }) {
        const headers = { Expect: '100-continue' }
        return accepted(await deliver(makeEvent(), { headers, manner: { awaitsContinue: true } }))
      },
    },
    {
      name: 'keep_alive',
      title: 'Takes one delivery after another on one connection',
      why: 'What is left unread of a refused body is taken for the beginning of the next request.',
      fix: 'Read a body to its end before answering, or close the connection with the answer.',
      run: keepAlive,
    },
  ],
}

function contentTypeCheck(name: string, what: string, types: (string | undefined)[]): Check {
  return {
    name,
    title: `Accepts a delivery whose Content-Type is ${what}`,
    why: contentTypeWhy,
    fix: contentTypeFix,
    run({ deliver, makeEvent }) {
      const deliveries = types.map((type) => {
        const headers = { 'Content-Type': type }
        return [type ?? 'no Content-Type', deliver(makeEvent(), { headers })] as const
      })
      return judgeEach(Object.fromEntries(deliveries), accepted)
    },
  }
}

async function keepAlive({ deliver, makeEvent, url }: Target) {
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = async (secret?: string) => {
    const options = { agent, ...(secret && { secret }) }
    const event = makeEvent()
    const answer = await deliver(event, options)
    // A server may close an idle connection just as the next request sets out on it.
    return answer.status === null && answer.reused ? deliver(event, options) : answer
  }
  try {
    const first = await once()
    await once('feed_whsec_of_nobody_at_all')
    const afterForged = await once()
    return await judgeEach(
      { first, 'after a forged one': afterForged, last: await once() },
      accepted,
    )
  } finally {
    agent.destroy()
  }
}
