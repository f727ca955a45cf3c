import { version } from './version.ts'

/** The same versions, with those of our packages, which are published together with this one. */
export function withOwnVersions(versions: Record<string, string>): Record<string, string> {
  const range = `^${version()}`
  return Object.fromEntries(
    Object.entries(versions).map(([name, given]) => [name, isOwn(name) ? range : given]),
  )
}

function isOwn(name: string): boolean {
  return name.startsWith('@feed-receiver/') || name === 'feed-receiver'
}
