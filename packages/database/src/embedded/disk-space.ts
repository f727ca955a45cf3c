import { statfsSync } from 'node:fs'
import { attempt, DatabaseError } from '../errors.ts'

export const mebibyte = 1_048_576

/**
 * The free space that an embedded database needs to write: its log (WAL) grows by 16 MiB at once.
 */
export const bytesToRun = 24 * mebibyte

/** The size of a new database, plus the space that it then needs to run. */
export const bytesToCreate = 40 * mebibyte + bytesToRun

/** Throws `disk_full` if the disk of a folder has less free space. */
export function assertSpace(folder: string, neededBytes: number): void {
  const free = freeBytes(folder)
  if (free >= neededBytes) return
  const freeMiB = (free / mebibyte).toFixed(1)
  const neededMiB = (neededBytes / mebibyte).toFixed(1)
  throw new DatabaseError(
    'disk_full',
    `The disk of ${folder} has ${freeMiB} MiB free, but the embedded database needs ${neededMiB} MiB. Free some space: the database then continues without a restart.`,
  )
}

function freeBytes(folder: string): number {
  // A missing folder causes other errors, which say more.
  const disk = attempt(() => statfsSync(folder), undefined)
  // Some network file systems do not report it.
  return disk && disk.blocks > 0 ? disk.bavail * disk.bsize : Infinity
}
