import { randomUUID } from 'node:crypto'
import { createSender } from '@feed-receiver/sender'
import { chooseEvent } from '../choose-event.ts'
import { defineCommand } from '../command.ts'
import { adviseOn, describeAttempt } from '../describe-attempt.ts'
import { CliError } from '../errors.ts'
import { rewrittenNote } from '../read-delivery.ts'
import { readSecret, secretOptions } from '../secret-options.ts'

/** One signed delivery. */
export const send = defineCommand({
  count: [1, 1],
  options: {
    to: { type: 'string', value: 'url', help: 'address of the receiver, http or https' },
    set: {
      type: 'string',
      multiple: true,
      value: 'path=text',
      help: 'change a member, data.title=text or data.summary:=null; again for more',
    },
    id: { type: 'string', value: 'id', help: 'the id of the event' },
    'new-id': { type: 'boolean', help: 'give the event an id that was never used' },
    retry: {
      type: 'boolean',
      help: 'make up to 8 attempts as the service does, over 63.5 minutes',
    },
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
    if (options.to === undefined) {
      throw new CliError('usage', 'send needs --to <url>, the address of your receiver.')
    }
    if (options.id !== undefined && options['new-id'] === true) {
      throw new CliError('usage', 'Give --id or --new-id, not both.')
    }
    const id = options['new-id'] === true ? `evt_${randomUUID()}` : options.id
    const changes = { settings: options.set ?? [], id }
    const event = await chooseEvent(typeOrFile, changes, context)
    if (event.isRewritten) out.note(rewrittenNote)
    await using sender = createSender({ secret: readSecret(options, context) })
    const outcome = await sender.deliver(event.body, {
      to: options.to,
      id: event.id,
      ...(options.retry !== true && { once: true }),
      signal,
      onAttempt(record) {
        out.line(`attempt ${record.attempt}  ${describeAttempt(record)}`)
      },
    })
    out.line(`${outcome.result} ${outcome.eventId}`)
    out.json(outcome)
    const advice = adviseOn(outcome)
    if (advice !== undefined) out.note(advice)
    if (signal.aborted) return 130
    return outcome.result === 'delivered' ? 0 : 1
  },
})
