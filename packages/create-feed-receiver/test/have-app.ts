import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Writes an existing app to a folder that lasts as long as the test, and returns the folder. */
export function haveApp(manifest: object, files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'into-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const all = { 'package.json': `${JSON.stringify(manifest)}\n`, ...files }
  for (const [path, contents] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), contents)
  }
  return folder
}
