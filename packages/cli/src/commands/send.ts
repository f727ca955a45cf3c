import { randomUUID } from 'node:crypto'
import { createSender } from '@feed-receiver/sender'
import { chooseEvent } from '../choose-event.ts'
import { defineCommand } from '../command.ts'
import { fixOf, describeAttempt } from '../describe-attempt.ts'
import { UsageError } from '../errors.ts'
import { flag, required, text, texts } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { rewrittenNote } from '../read-delivery.ts'

export const send = defineCommand({
  options: {
    to: required(text('--to <url>', 'URL of the receiver, http or https')),
    set: texts('--set <path=text>', 'set a field: data.title=text, data.summary:=null; repeatable'),
    id: text('--id <id>', 'id of the event'),
    newId: flag('--new-id', 'use a new event id'),
    retry: flag('--retry', 'retry like the service: up to 8 attempts over 63.5 minutes'),
    ...secretOptions,
  },
  notes: `
    The operand is an event type or a file. For a type that the service documents, the command sends
    a fixture, which is always the same event. Sent again, it is a duplicate, unless --id or
    --new-id changes its id. A file is an event, a captured delivery, or the output of \`inbox show
    --json\`. Its bytes are sent unchanged, unless --set, --id or --new-id changes them.
  `,
  examples: [
    'feed-receiver send outage_started --to http://localhost:3000/webhooks/feed',
    'feed-receiver send event.json --to http://localhost:3000/webhooks/feed --set data.title=Test',
  ],
  async run({ operands: [typeOrFile = ''], options }, context) {
    const { out, signal } = context
    const { to, set: settings = [], newId, retry } = options
    if (options.id !== undefined && newId)
      throw new UsageError('--id and --new-id exclude each other. Use one of them.')
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
