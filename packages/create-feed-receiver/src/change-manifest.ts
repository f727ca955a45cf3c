import type { FoundApp } from './find-app.ts'
import { versionsIn } from './manifest.ts'
import { withOwnVersions } from './own-versions.ts'

export interface ManifestChange {
  /** The text of package.json, with all else as it was written. */
  text: string
  /** The dependencies that were missing, with their ranges. */
  dependencies: Record<string, string>
}

/** Adds what is missing of our packages to the dependencies. */
export function changeManifest({ framework, manifest, manifestText }: FoundApp): ManifestChange {
  const present = versionsIn(manifest, 'dependencies')
  const missing = ['core', 'inbox', framework]
    .map((name) => `@feed-receiver/${name}`)
    .filter((name) => !(name in present))
  if (missing.length === 0) return { text: manifestText, dependencies: {} }

  const added = withOwnVersions(Object.fromEntries(missing.map((name) => [name, ''])))
  const all = Object.entries({ ...present, ...added })
  const dependencies = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const indent = /^([ \t]+)"/m.exec(manifestText)?.[1] ?? '  '
  const text = JSON.stringify({ ...manifest, dependencies }, null, indent)
  return { text: manifestText.endsWith('\n') ? `${text}\n` : text, dependencies: added }
}
