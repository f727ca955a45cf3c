// Makes the tests store databases and the packages of new apps in memory if there is room. Most of
// their system time went into files that they delete again.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
// What all tests together need, and what one file of them does.
const allBytes = 4e9
const oneBytes = 500e6

/**
 * The environment variables to add for tests; none if TMPDIR is set or there is no room in memory.
 * Ends the process if there is no such folder, or if the tests would fill it.
 */
export function temporaryFolder() {
  if (process.env.TMPDIR === undefined && mayUseMemory()) return { TMPDIR: inMemory }
  const folder = tmpdir()
  if (!existsSync(folder)) {
    console.error(`TMPDIR names ${folder}, which does not exist. Create it, or unset TMPDIR.`)
    process.exit(2)
  }
  const free = freeBytes(folder)
  if (free < allBytes) {
    const megabytes = (bytes) => `${Math.floor(bytes / 1e6).toLocaleString('en')} MB`
    console.error(
      `${folder}, the folder of temporary files, has ${megabytes(free)} free. All tests need ` +
        `${megabytes(allBytes)}, and a single file ${megabytes(oneBytes)}. ` +
        'Free some, or set TMPDIR to another folder.',
    )
    if (free < oneBytes) process.exit(2)
  }
  return {}
}

function mayUseMemory() {
  try {
    return freeBytes(inMemory) > 2 * allBytes && runsPrograms()
  } catch {
    return false
  }
}

function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Whether files there may be executed, which containers often forbid. */
function runsPrograms() {
  const folder = mkdtempSync(join(inMemory, 'feed-receiver-program-'))
  try {
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}
