import { CreateError } from './errors.ts'

/** The members of a package.json, whatever they are. */
export type Manifest = Record<string, unknown>

/** Errors: `unreadable_file` where the text is not a JSON object. */
export function readManifest(text: string, path: string): Manifest {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Told below, like all else that is no object.
  }
  throw new CreateError('unreadable_file', `${path} is not a JSON object. Mend it, and try again.`)
}

/** A member that holds versions by name, such as `dependencies`; empty where there is none. */
export function versionsIn(manifest: Manifest, member: string): Record<string, string> {
  const value = manifest[member]
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, range]) => [name, String(range)]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
