import { existsSync } from 'node:fs'
import { fixture, fixtures } from '@feed-receiver/sender'
import type { FeedEvent } from '@feed-receiver/core'
import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'
import { readDelivery, type CapturedDelivery, type Piped } from './read-delivery.ts'
import { setMembers } from './set-members.ts'

/** The bytes to send: of a fixture by its type, or of a file, with `settings` laid over it. */
export async function chooseEvent(
  typeOrFile: string,
  settings: readonly string[],
  piped: Piped,
): Promise<Uint8Array> {
  const made = fixtures.find(({ type }) => type === typeOrFile)
  if (made) return writeJson(setMembers(fixture(made.type), settings))
  const { body } = await readEventFile(typeOrFile, piped)
  if (settings.length === 0) return body
  return writeJson(setMembers(parseObject(body, typeOrFile), settings))
}

async function readEventFile(path: string, piped: Piped): Promise<CapturedDelivery> {
  const isFile = path === '-' || existsSync(path) || /[./\\]/.test(path)
  if (isFile) return await readDelivery(path, piped)
  const types = fixtures.map((event: FeedEvent) => event.type)
  throw new CliError(
    'usage',
    `${JSON.stringify(path)} is neither a type with a fixture nor a file.${didYouMean(path, types)} ` +
      `Types: ${types.join(', ')}; any other is sent with --set type=….`,
  )
}

function parseObject(body: Uint8Array, path: string): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below.
  }
  throw new CliError(
    'usage',
    `--set needs an event in JSON, and ${path} has none. Leave --set out.`,
  )
}

function writeJson(event: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(event))
}
