import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempt, unless } from '../errors.ts'

/** Identifies one process: no other one has the same identity, now or after a reboot. */
export interface ProcessIdentity {
  pid: number
  /** As the system reports it; empty if it cannot be read. */
  startedAt: string
  host: string
  /** Where `pid` is valid: one boot and one pid namespace of a machine. Outside Linux, the host. */
  machine: string
}

export function ownIdentity(): ProcessIdentity {
  const { pid } = process
  return { pid, startedAt: startTime(pid), host: hostname(), machine: machineIdentity() }
}

/** Whether exactly this process still runs, not another one with its pid. Same machine only. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  // EPERM: it exists and belongs to another user.
  const exists = attempt(() => unless('EPERM', () => process.kill(pid, 0), true), false)
  if (!exists) return false
  const startedNow = startTime(pid)
  // If a start time cannot be read (hidepid, no `ps`), the pid alone decides.
  return startedNow === '' || startedAt === '' || startedNow === startedAt
}

function startTime(pid: number): string {
  return process.platform === 'linux' ? linuxStartTime(pid) : startTimeFromPs(pid)
}

function linuxStartTime(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  // The command in field 2 may contain spaces and brackets, so count from its closing bracket.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A killed process that its parent has not reaped yet: it holds nothing any more.
  if (state === 'Z' || state === 'X') return 'ended'
  return fields[18] ?? ''
}

function startTimeFromPs(pid: number): string {
  // A fixed time zone and locale, so that all processes print one time in the same way.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
  return ps.status === 0 ? ps.stdout.trim() : ''
}

function machineIdentity(): string {
  return attempt(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  }, `host ${hostname()}`)
}
