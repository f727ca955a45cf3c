import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createSender, fixture, fixtures } from '@feed-receiver/sender'
import { defineCommand } from '../command.ts'
import type { CapturedDelivery } from '../conformance/explain/explain-delivery.ts'
import { fixOf, describeAttempt } from '../describe-attempt.ts'
import { UsageError } from '../errors.ts'
import { didYouMean, flag, required, text, texts } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseJson } from '../or-undefined.ts'
import { isObject, readDelivery, rewrittenNote, type Piped } from '../read-delivery.ts'

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

/** The event to send. `id` is for the headers; undefined if the body supplies it. */
interface ChosenEvent extends Pick<CapturedDelivery, 'body' | 'isRewritten'> {
  id: string | undefined
}

/**
 * Chooses the event to send: a fixture by its type, or the bytes of a file. Applies the changes of
 * `--set`, and an id that replaces the event's own.
 */
async function chooseEvent(
  typeOrFile: string,
  { settings, id }: { settings: readonly string[]; id: string | undefined },
  piped: Piped,
): Promise<ChosenEvent> {
  const changes = id === undefined ? settings : [...settings, `id=${id}`]
  const made = fixtures.find(({ type }) => type === typeOrFile)
  if (made) return changed(fixture(made.type), changes)
  const { body, headers, isRewritten } = await readEventFile(typeOrFile, piped)
  if (changes.length === 0) return { body, id: headers['feed-event-id'], isRewritten }
  const event = parseJson(body)
  if (isObject(event)) return changed(event, changes)
  // Bytes that are no event still need an id in their headers.
  if (settings.length === 0) return { body, id, isRewritten }
  throw new UsageError(`--set needs an event in JSON, but ${typeOrFile} has none. Leave --set out.`)
}

function changed(event: object, changes: readonly string[]): ChosenEvent {
  const body = new TextEncoder().encode(JSON.stringify(setMembers(event, changes)))
  return { body, id: undefined, isRewritten: false }
}

async function readEventFile(path: string, piped: Piped): Promise<CapturedDelivery> {
  const isFile = path === '-' || existsSync(path) || /[./\\]/.test(path)
  if (isFile) return await readDelivery(path, piped)
  const types = fixtures.map(({ type }): string => type)
  const [written, guess] = [JSON.stringify(path), didYouMean(path, types)]
  throw new UsageError(
    `${written} is neither a type with a fixture nor a file.${guess} The types are ${types.join(', ')}; for any other, add --set type=….`,
  )
}

/**
 * Applies `--set` to an event: `data.title=text` sets a text, `data.summary:=null` any JSON.
 *
 * @throws CliError `usage` for a change in neither form, and for a path through a value that is no
 * object.
 */
function setMembers(event: object, settings: readonly string[]): object {
  const copy: object = structuredClone(event)
  for (const setting of settings) setMember(copy, setting)
  return copy
}

function setMember(event: object, setting: string): void {
  const [, path, sign, written = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(setting) ?? []
  if (path === undefined)
    throw new UsageError(
      '--set must have the form data.title=text, or data.summary:=null for JSON.',
    )
  const value = sign === ':=' ? parseJson(written) : written
  if (value === undefined)
    throw new UsageError(`--set ${path}:= needs JSON after it. For a text, use ${path}=.`)
  const steps = path.split('.')
  const last = steps.pop() ?? path
  let parent: unknown = event
  for (const step of steps) {
    parent = isObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined
  }
  if (!isObject(parent))
    throw new UsageError(
      `--set ${path}: the event has no object at this path. Set that object first, as JSON with :=.`,
    )
  // A plain assignment to "__proto__" would set a member that JSON does not show.
  const shown = { enumerable: true, writable: true, configurable: true }
  Object.defineProperty(parent, last, { value, ...shown })
}
