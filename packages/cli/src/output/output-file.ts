import { codeOf } from '@feed-receiver/core'
import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * Refuses the files that a command would have to overwrite, before it does anything.
 *
 * @param files The paths by the options that name them.
 * @throws CliError `usage`
 */
export function refuseExisting(files: Record<string, string | undefined>, force: boolean): void {
  const given = Object.values(files).flatMap((file) => file ?? [])
  if (given.length === 0 && force) {
    throw new UsageError(
      `--force is for ${Object.keys(files).join(', ')} <file>. Use both, or neither.`,
    )
  }
  const seen = new Set<string>()
  for (const file of given) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.isDirectory()) throw new UsageError(`${file} is a folder. Use a file in it.`)
    if (stats && !force) throw existing(file)
    if (seen.has(resolve(file)))
      throw new UsageError(`${file} is given twice. Use a different file for each report.`)
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
  return new UsageError(`${file} already exists. Use another file, or add --force to overwrite it.`)
}
