import { fixtures } from '@feed-receiver/sender'
import { z } from 'zod'
import { check } from '../commands/check.ts'
import { doctor } from '../commands/doctor.ts'
import { send } from '../commands/send.ts'
import { runVerb } from './run-verb.ts'
import { askInbox, checkTarget, defineTool, toAnswer } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

const url = z.string().describe(texts.inputs.url)

const sendFixture = defineTool({
  ...texts.sendFixture,
  effect: 'sends',
  input: z.object({
    // Fixtures only: this tool must not read files of this machine.
    type: z.enum(fixtures.map(({ type }) => type)),
    url,
    newId: z.boolean().default(true).describe(texts.inputs.newId),
    set: z.array(z.string()).optional().describe(texts.inputs.set),
  }),
  async answer({ type, url: to, newId, set }, context) {
    checkTarget(to, context)
    const options = { to, 'new-id': newId, set }
    return toAnswer(await runVerb(send, { operands: [type], options }, context))
  },
})

const checkReceiver = defineTool({
  ...texts.check,
  effect: 'sends',
  input: z.object({ url }),
  async answer({ url: to }, context) {
    checkTarget(to, context)
    // Whoever started the server has already allowed other machines.
    return toAnswer(await runVerb(check, { operands: [to], options: { yes: true } }, context))
  },
})

const examine = defineTool({
  ...texts.doctor,
  effect: 'sends',
  input: z.object({ url: url.optional() }),
  async answer({ url: to }, context) {
    if (to !== undefined) checkTarget(to, context)
    return toAnswer(await askInbox(doctor, { options: { url: to } }, context))
  },
})

export const receiverTools = [sendFixture, checkReceiver, examine]
