import { randomUUID } from 'node:crypto'
import { createSender } from '@feed-receiver/sender'
import { chooseEvent } from '../choose-event.ts'
import { defineCommand } from '../command.ts'
import { fixOf, describeAttempt } from '../describe-attempt.ts'
import { problem } from '../errors.ts'
import { flag, text, texts } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { rewrittenNote } from '../read-delivery.ts'

export const send = defineCommand('send', {
  options: { to: text, set: texts, id: text, newId: flag, retry: flag, ...secretOptions },
  async run({ operands: [typeOrFile = ''], options }, context) {
    const { out, signal } = context
    const { to, set: settings = [], newId, retry } = options
    if (to === undefined) throw problem('usage', 'no_receiver', { verb: 'send' })
    if (options.id !== undefined && newId) throw problem('usage', 'two_ids')
    const id = newId ? `evt_${randomUUID()}` : options.id
    const event = await chooseEvent(typeOrFile, { settings, id }, context)
    if (event.isRewritten) out.note(rewrittenNote)
    await using sender = createSender({ secret: readSecret(options, context) })
    const outcome = await sender.deliver(event.body, {
      to,
      id: event.id,
      ...(!retry && { once: true }),
      signal,
      onAttempt: (record) => out.line(`attempt ${record.attempt}  ${describeAttempt(record)}`),
    })
    out.result(outcome, `${outcome.result} ${outcome.eventId}`)
    const fix = fixOf(outcome)
    if (fix !== undefined) out.note(fix)
    if (signal.aborted) return 130
    return outcome.result === 'delivered' ? 0 : 1
  },
})
