import type { CheckGroup } from './check.ts'
import { describeAnswer } from './describe-answer.ts'
import { accepted } from './verdict.ts'

/** What must hold before anything else can be learnt of a receiver. */
export const gateChecks: CheckGroup = {
  title: 'Reaching it',
  pace: 'gate',
  checks: [
    {
      name: 'reachable',
      title: 'Answers a POST over HTTP',
      why:
        'A destination that cannot be reached gets eight attempts in 63.5 minutes, and then ' +
        'nothing.',
      fix: 'Start the receiver, and check host, port, certificate and firewall of the URL.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent())
        return {
          outcome: answer.status === null ? 'failed' : 'passed',
          seen: describeAnswer(answer),
        }
      },
    },
    {
      name: 'no_redirect',
      title: 'Answers itself and does not redirect',
      why: 'The service follows no redirect: each one is a failed attempt.',
      fix:
        'Register the final URL: https, the right host, and with or without the slash at its ' +
        'end as the route has it.',
      async run({ deliver, makeEvent }) {
        const answer = await deliver(makeEvent())
        const { status } = answer
        const isRedirect = status !== null && status >= 300 && status < 400
        return {
          outcome: isRedirect || status === null ? 'failed' : 'passed',
          seen: describeAnswer(answer),
        }
      },
    },
    {
      name: 'authentic',
      title: 'Accepts an authentic delivery',
      why: 'Until this holds, the destination cannot become active.',
      fix:
        'Check that this run has the secret of the receiver, whole, with feed_whsec_ before it; ' +
        'that the HMAC-SHA256 covers "<t>." and the body; and that both clocks are right.',
      run: async ({ deliver, makeEvent }) => accepted(await deliver(makeEvent())),
    },
  ],
}
