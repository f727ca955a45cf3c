import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The processor time of a process, in microseconds. Only on Linux. */
export function cpuTime(pid: number): number {
  return toMicroseconds(readStat(String(pid))?.ownTicks ?? 0)
}

/** The same with its children, including those that have ended. */
export function familyCpuTime(pid: number): number {
  const family = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat !== undefined)
    .filter((stat) => stat.pid === pid || stat.parent === pid)
  return toMicroseconds(family.reduce((sum, stat) => sum + stat.ownTicks + stat.endedTicks, 0))
}

function readStat(name: string) {
  const text = readIfThere(`/proc/${name}/stat`)
  if (text === undefined) return undefined
  // The name of the program is in brackets, and may contain anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15)
  return {
    pid: Number(name),
    parent: fields[1],
    ownTicks: user + system,
    endedTicks: userOfEnded + systemOfEnded,
  }
}

// A process may end while others are being read.
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function toMicroseconds(ticks: number): number {
  return (ticks / ticksPerSecond) * 1_000_000
}
