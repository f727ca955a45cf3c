import { readFileSync } from 'node:fs'
import { problem } from './errors.ts'

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
  throw problem('unreadable_file', 'no_object', { path })
}

/** A member that holds versions by name, such as `dependencies`; empty where there is none. */
export function versionsIn(manifest: Manifest, member: string): Record<string, string> {
  const value = manifest[member]
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, range]) => [name, String(range)]))
}

/** The same versions, with those of our packages, which are published together with this one. */
export function withOwnVersions(versions: Record<string, string>): Record<string, string> {
  const own = Object.keys(versions).filter((name) =>
    /^(?:@feed-receiver\/|feed-receiver$)/.test(name),
  )
  return { ...versions, ...Object.fromEntries(own.map((name) => [name, `^${version()}`])) }
}

/** The version of this package, which is also that of the packages that an app names. */
export function version(): string {
  const path = new URL('../package.json', import.meta.url)
  return String(readManifest(readFileSync(path, 'utf8'), 'package.json')['version'])
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
