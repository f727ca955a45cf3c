import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Copies the templates as packing does, for the tests that run from source. */
export function setup(): void {
  execFileSync('node', [fileURLToPath(new URL('../copy-templates.mjs', import.meta.url))])
}
