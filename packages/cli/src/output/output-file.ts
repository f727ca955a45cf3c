import { codeOf } from '@feed-receiver/core/internal'
import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * Rejects a file that a command would have to overwrite, before it does anything.
 *
 * @param option The option that names the file.
 */
export function rejectExisting(option: string, file: string | undefined, force: boolean): void {
  if (file === undefined) {
    if (force) throw new UsageError(`--force is for ${option} <file>. Use both, or neither.`)
    return
  }
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) throw new UsageError(`${file} is a folder. Use a file in it.`)
  if (stats && !force) throw existing(file)
}

/** Writes a file and the folders above it. Without `force` it never overwrites one. */
export async function writeOutput(file: string, text: string, force: boolean): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true })
  await writeFile(file, text, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? existing(file) : error
  })
}

function existing(file: string): UsageError {
  return new UsageError(`${file} already exists. Use another file, or add --force to overwrite it.`)
}
