import { readFileSync } from 'node:fs'
import { CreateError } from './errors.ts'

/** The members of a package.json, of any type. */
export type Manifest = Record<string, unknown>

/** Errors: `unreadable_file` if the text is not a JSON object. */
export function readManifest(text: string, path: string): Manifest {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Reported below, like every other text that is not an object.
  }
  throw new CreateError(
    'unreadable_file',
    `${path} is not a valid JSON object. Correct it and try again.`,
  )
}

/** A member with versions by package name, such as `dependencies`; empty if missing. */
export function versionsIn(manifest: Manifest, member: string): Record<string, string> {
  const value = manifest[member]
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, range]) => [name, String(range)]))
}

/** The packages among its dependencies and development dependencies, with their ranges. */
export function packagesIn(manifest: Manifest): Map<string, string> {
  const members = ['dependencies', 'devDependencies'] as const
  return new Map(members.flatMap((member) => Object.entries(versionsIn(manifest, member))))
}

/** The same versions, with those of our own packages, which share the version of this one. */
export function withOwnVersions(versions: Record<string, string>): Record<string, string> {
  const own = Object.keys(versions).filter((name) =>
    /^(?:@feed-receiver\/|feed-receiver$)/.test(name),
  )
  return { ...versions, ...Object.fromEntries(own.map((name) => [name, `^${version()}`])) }
}

/** The version of this package, and of all packages of the kit. */
export function version(): string {
  const path = new URL('../package.json', import.meta.url)
  return String(readManifest(readFileSync(path, 'utf8'), 'package.json')['version'])
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
