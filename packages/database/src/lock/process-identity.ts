import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempt, unless } from '../errors.ts'

/** Names one process so that no other, now or after a reboot, goes by the same name. */
export interface ProcessIdentity {
  pid: number
  /** As the system counts it; empty where it cannot be read. */
  startedAt: string
  host: string
  /** Where `pid` means something: one boot of one machine and one pid namespace of it. */
  machine: string
}

export function ownIdentity(): ProcessIdentity {
  const { pid } = process
  return { pid, startedAt: startTime(pid), host: hostname(), machine: machineIdentity() }
}

/** Whether that very process still runs; another one under its pid does not count. Same machine only. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  // EPERM: it exists and belongs to another user.
  const exists = attempt(() => unless('EPERM', () => process.kill(pid, 0), true), false)
  if (!exists) return false
  const startedNow = startTime(pid)
  // An unreadable start time (hidepid, no `ps`) leaves the pid alone to decide: in doubt, alive.
  return startedNow === '' || startedAt === '' || startedNow === startedAt
}

function startTime(pid: number): string {
  return process.platform === 'linux' ? linuxStartTime(pid) : startTimeFromPs(pid)
}

function linuxStartTime(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  // The command in field 2 may hold spaces and brackets, so count from its closing one.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Killed and not yet collected by its parent: it holds nothing any more.
  if (state === 'Z' || state === 'X') return 'ended'
  return fields[18] ?? ''
}

function startTimeFromPs(pid: number): string {
  // A fixed zone and language: two processes must print the same time in the same words.
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
