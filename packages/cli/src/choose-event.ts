import { existsSync } from 'node:fs'
import { fixture, fixtures } from '@feed-receiver/sender'
import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'
import { readDelivery, type CapturedDelivery, type Piped } from './read-delivery.ts'
import { setMembers } from './set-members.ts'

export interface EventChanges {
  /** As `--set` has them. */
  settings: readonly string[]
  /** The id to have in place of its own. */
  id: string | undefined
}

export interface ChosenEvent {
  body: Uint8Array
  /** For the headers, where it is not to be read from the body. */
  id: string | undefined
  /** Whether its exact bytes were lost before, and nobody asked for others. */
  isRewritten: boolean
}

/** What to send: a fixture by its type, or the bytes of a file, with the changes laid over it. */
export async function chooseEvent(
  typeOrFile: string,
  { settings, id }: EventChanges,
  piped: Piped,
): Promise<ChosenEvent> {
  const changes = id === undefined ? settings : [...settings, `id=${id}`]
  const made = fixtures.find(({ type }) => type === typeOrFile)
  if (made) return changed(fixture(made.type), changes)
  const { body, headers, isRewritten } = await readEventFile(typeOrFile, piped)
  if (changes.length === 0) return { body, id: headers['feed-event-id'], isRewritten }
  const event = parseObject(body)
  if (event) return changed(event, changes)
  // Bytes that are no event still need an id in their headers.
  if (settings.length === 0) return { body, id, isRewritten }
  throw new CliError(
    'usage',
    `--set needs an event in JSON, and ${typeOrFile} has none. Leave --set out.`,
  )
}

function changed(event: object, changes: readonly string[]): ChosenEvent {
  const body = new TextEncoder().encode(JSON.stringify(setMembers(event, changes)))
  return { body, id: undefined, isRewritten: false }
}

async function readEventFile(path: string, piped: Piped): Promise<CapturedDelivery> {
  const isFile = path === '-' || existsSync(path) || /[./\\]/.test(path)
  if (isFile) return await readDelivery(path, piped)
  const types = fixtures.map(({ type }): string => type)
  throw new CliError(
    'usage',
    `${JSON.stringify(path)} is neither a type with a fixture nor a file.${didYouMean(path, types)} ` +
      `Types: ${types.join(', ')}; any other is sent with --set type=….`,
  )
}

function parseObject(body: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
