import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** For the tests that run from source: what packing does. */
export function setup(): void {
  execFileSync('node', [fileURLToPath(new URL('../copy-templates.mjs', import.meta.url))])
}
