// Has the tests keep their databases in memory where there is room: most of their system time went
// into files that they drop again.
import { accessSync, constants, statfsSync } from 'node:fs'

const inMemory = '/dev/shm'
// Six times what the tests have needed at once.
const roomBytes = 3e9

/** What to add to the environment of tests; nothing where somebody has chosen a folder. */
export function temporaryFolder() {
  return process.env.TMPDIR === undefined && hasRoom() ? { TMPDIR: inMemory } : {}
}

function hasRoom() {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize > roomBytes
  } catch {
    return false
  }
}
