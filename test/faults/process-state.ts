import { readFileSync } from 'node:fs'

/** The letter that Linux has for what a process does: `T` while it is stopped; none once it is gone. */
export function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0]
  } catch {
    return undefined
  }
}
