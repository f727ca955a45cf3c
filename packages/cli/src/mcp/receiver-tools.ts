import { fixtures } from '@feed-receiver/sender'
import { z } from 'zod'
import { check } from '../commands/check.ts'
import { doctor } from '../commands/doctor.ts'
import { send } from '../commands/send.ts'
import { runVerb } from './run-verb.ts'
import { askInbox, checkTarget, defineTool, toAnswer } from './tool.ts'

const url = z
  .string()
  .describe('URL of the receiver; on this machine, unless the server was started with --remote')

const sendFixture = defineTool({
  name: 'feed_send',
  title: 'Send a test event',
  description:
    'Sends one signed fixture event of a type to a receiver, and shows the result of each attempt.',
  effect: 'sends',
  input: z.object({
    // Fixtures only: this tool must not read files of this machine.
    type: z.enum(fixtures.map(({ type }) => type)),
    url,
    newId: z
      .boolean()
      .default(true)
      .describe(
        'true uses a new event id; false uses the fixed one of the fixture, so a second call sends a duplicate',
      ),
    set: z
      .array(z.string())
      .optional()
      .describe(send.options['set']?.description ?? ''),
  }),
  async answer({ type, url: to, newId, set }, context) {
    checkTarget(to, context)
    const call = { operands: [type], options: { to, newId, set } }
    return toAnswer(await runVerb(send, call, context))
  },
})

const checkReceiver = defineTool({
  name: 'feed_check',
  title: 'Check a receiver',
  description:
    'Checks a receiver against the whole contract with about 200 test deliveries, which it may store. Can take a few minutes.',
  effect: 'sends',
  input: z.object({ url }),
  async answer({ url: to }, context) {
    checkTarget(to, context)
    // The operator who started the server has already allowed other machines.
    return toAnswer(await runVerb(check, { operands: [to], options: { yes: true } }, context))
  },
})

export const examine = defineTool({
  name: 'feed_doctor',
  title: 'Diagnose the installation',
  description:
    'Checks the secret, the inbox and, with a url, the receiver by test deliveries. Says how to fix each problem.',
  effect: 'sends',
  input: z.object({ url: url.optional() }),
  async answer({ url: to }, context) {
    if (to !== undefined) checkTarget(to, context)
    return toAnswer(await askInbox(doctor, { options: { url: to } }, context))
  },
})

export const receiverTools = [sendFixture, checkReceiver, examine]
