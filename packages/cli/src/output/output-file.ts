import { codeOf } from '@feed-receiver/core'
import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { problem } from '../errors.ts'

/**
 * Refuses the files that a command would have to overwrite, before it does anything.
 *
 * @param files The paths by the options that name them.
 * @throws CliError `usage`
 */
export function refuseExisting(files: Record<string, string | undefined>, force: boolean): void {
  const given = Object.values(files).flatMap((file) => file ?? [])
  if (given.length === 0 && force) {
    throw problem('usage', 'force_alone', { options: Object.keys(files).join(', ') })
  }
  const seen = new Set<string>()
  for (const file of given) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.isDirectory()) throw problem('usage', 'output_folder', { file })
    if (stats && !force) throw existing(file)
    if (seen.has(resolve(file))) throw problem('usage', 'output_twice', { file })
    seen.add(resolve(file))
  }
}

/** Writes a file and the folders above it. Without `force` it never overwrites one. */
export async function writeOutput(file: string, text: string, force: boolean): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true })
  await writeFile(file, text, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? existing(file) : error
  })
}

function existing(file: string): Error {
  return problem('usage', 'output_exists', { file })
}
