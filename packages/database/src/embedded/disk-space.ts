import { statfsSync } from 'node:fs'
import { DatabaseError } from '../errors.ts'

const mebibyte = 1_048_576

/** What an embedded database needs before it writes: its log (WAL) grows by 16 MiB at once. */
export const bytesToRun = 24 * mebibyte

/** What a new one takes, and what it then needs to run. */
export const bytesToCreate = 40 * mebibyte + bytesToRun

/** Throws `disk_full` where the disk of a folder has less free than that. */
export function assertSpace(folder: string, neededBytes: number): void {
  const free = freeBytes(folder)
  if (free === undefined || free >= neededBytes) return
  throw new DatabaseError(
    'disk_full',
    `The disk of ${folder} has ${inMebibytes(free)} free, and the embedded database needs ` +
      `${inMebibytes(neededBytes)}. Free some space there: the database then continues without a ` +
      'restart.',
  )
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder)
    // Some network file systems do not know.
    return blocks === 0 ? undefined : bavail * bsize
  } catch {
    // A folder that is gone has faults of its own, which say more.
    return undefined
  }
}

function inMebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`
}
