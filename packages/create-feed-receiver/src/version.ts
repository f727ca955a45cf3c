import { readFileSync } from 'node:fs'
import { readManifest } from './manifest.ts'

/** The version of this package, which is also that of the packages that an app names. */
export function version(): string {
  const path = new URL('../package.json', import.meta.url)
  return String(readManifest(readFileSync(path, 'utf8'), 'package.json')['version'])
}
