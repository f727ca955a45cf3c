import { existsSync } from 'node:fs'
import { fixture, fixtures } from '@feed-receiver/sender'
import { UsageError } from './errors.ts'
import { didYouMean } from './options/option.ts'
import { parseJson } from './or-undefined.ts'
import type { CapturedDelivery } from './conformance/explain/explain-delivery.ts'
import { isObject, readDelivery, type Piped } from './read-delivery.ts'

/** The event to send. `id` is for the headers; undefined if the body supplies it. */
interface ChosenEvent extends Pick<CapturedDelivery, 'body' | 'isRewritten'> {
  id: string | undefined
}

/**
 * Chooses the event to send: a fixture by its type, or the bytes of a file. Applies the changes of
 * `--set`, and an id that replaces the event's own.
 */
export async function chooseEvent(
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
  const [, path, sign, text = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(setting) ?? []
  if (path === undefined)
    throw new UsageError(
      '--set must have the form data.title=text, or data.summary:=null for JSON.',
    )
  const value = sign === ':=' ? parseJson(text) : text
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
