// Has the tests keep databases and the packages of new apps in memory where there is room: most of
// their system time went into files that they drop again.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const inMemory = '/dev/shm'
// Twice what the tests have needed at once.
const roomBytes = 8e9

/** What to add to the environment of tests; nothing where somebody has chosen a folder. */
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

/** Whether files there may be programs: containers often forbid it. */
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
