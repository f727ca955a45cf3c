import { randomUUID } from 'node:crypto'
import { createSender } from '@feed-receiver/sender'
import { chooseEvent } from '../choose-event.ts'
import { defineCommand } from '../command.ts'
import { adviseOn, describeAttempt } from '../describe-attempt.ts'
import { CliError } from '../errors.ts'
import { flag, text, texts } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { rewrittenNote } from '../read-delivery.ts'

export const send = defineCommand({
  options: {
    to: text('--to <url>', 'address of the receiver, http or https'),
    set: texts(
      '--set <path=text>',
      'change a member, data.title=text or data.summary:=null; again for more',
    ),
    id: text('--id <id>', 'the id of the event'),
    newId: flag('--new-id', 'give the event an id that was never used'),
    retry: flag('--retry', 'make up to 8 attempts as the service does, over 63.5 minutes'),
    ...secretOptions,
  },
  notes: [
    'A type is one of those the service documents, and brings a made-up event, always the same: sent\n' +
      'again it is a duplicate, unless --id or --new-id makes it another. A file is an event, a\n' +
      'captured delivery, or what `inbox show --json` prints; its bytes are sent as they are,\n' +
      'unless --set, --id or --new-id changes them.',
  ],
  examples: [
    'feed-receiver send outage_started --to http://localhost:3000/webhooks/feed',
    'feed-receiver send event.json --to http://localhost:3000/webhooks/feed --set data.title=Test',
  ],
  async run({ operands: [typeOrFile = ''], options }, context) {
    const { out, signal } = context
    const { to, set: settings = [], newId, retry } = options
    if (to === undefined) {
      throw new CliError('usage', 'send needs --to <url>, the address of your receiver.')
    }
    if (options.id !== undefined && newId) {
      throw new CliError('usage', 'Give --id or --new-id, not both.')
    }
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
    const advice = adviseOn(outcome)
    if (advice !== undefined) out.note(advice)
    if (signal.aborted) return 130
    return outcome.result === 'delivered' ? 0 : 1
  },
})
