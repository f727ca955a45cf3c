// Keeps two runs of the tests in one clone from installing or building at the same time.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Does some work while no other process does it, and returns its result. Waits for a process that
 * does, and says so. `file` names that process.
 */
export async function alone(file, what, work) {
  await take(file, what)
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

async function take(file, what) {
  // A link appears with its content, which a new file does not.
  const own = `${file}-${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    for (let hasSaid = false; !isLinked(own, file); await delay(200)) {
      const other = readPid(file)
      if (!isAlive(other)) rmSync(file, { force: true })
      else if (!hasSaid) {
        console.log(`Waiting for process ${other}, which is ${what} …`)
        hasSaid = true
      }
    }
  } finally {
    rmSync(own, { force: true })
  }
}

function isLinked(own, file) {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function readPid(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
