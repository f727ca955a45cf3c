// Makes the tests store databases and the packages of new apps in memory if there is room. Most of
// their system time went into files that they delete again.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const inMemory = '/dev/shm'
// Twice the maximum that the tests have needed.
const roomBytes = 8e9

/** The environment variables to add for tests; none if TMPDIR is set or there is no room. */
export function temporaryFolder() {
  return process.env.TMPDIR === undefined && hasRoom() ? { TMPDIR: inMemory } : {}
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize > roomBytes && runsPrograms()
  } catch {
    return false
  }
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
