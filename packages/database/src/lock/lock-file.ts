import * as fs from 'node:fs'
import { attempt, unless } from '../errors.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** The holder of a folder. `token` distinguishes two locks of one process. */
export interface LockRecord extends ProcessIdentity {
  token: string
  since: string
}

export interface SeenLock {
  raw: string
  mtimeMs: number
  /** Undefined while the file is empty or has other content. */
  record: LockRecord | undefined
}

/** Reads a lock file; undefined if there is none. */
export function readLock(path: string): SeenLock | undefined {
  const file = unless<number | undefined>('ENOENT', () => fs.openSync(path, 'r'), undefined)
  if (file === undefined) return undefined
  try {
    const raw = fs.readFileSync(file, 'utf8')
    return { raw, mtimeMs: fs.fstatSync(file).mtimeMs, record: parseRecord(raw) }
  } finally {
    fs.closeSync(file)
  }
}

/** Whether it is a lock, of which only the beginning may be written so far. */
export function isLock({ raw }: SeenLock): boolean {
  const beginning = '{"pid":'
  // After a power loss, some file systems fill a new file with NULs.
  const text = raw.replaceAll('\0', '').trimStart()
  return beginning.startsWith(text.slice(0, beginning.length))
}

/** Creates the lock file with that record; false if it already exists. */
export function createLock(path: string, record: LockRecord): boolean {
  const isCreated = () =>
    fs.writeFileSync(path, JSON.stringify(record), { flag: 'wx' }) === undefined
  return unless('EEXIST', isCreated, false)
}

/**
 * Replaces a stale lock with our record; false if another process was faster.
 *
 * The claim is our record under a second name, which only one process can create. That process
 * reads the lock again: after another takeover it is no longer the stale one. The rename then
 * publishes the record and frees the claim's name in one step.
 */
export function replaceLock(path: string, stale: SeenLock, record: LockRecord): boolean {
  const claim = claimPath(path)
  if (!createLock(claim, record)) return false
  const now = readLock(path)
  if (now?.raw !== stale.raw || now.mtimeMs !== stale.mtimeMs) {
    fs.rmSync(claim, { force: true })
    return false
  }
  return unless('ENOENT', () => fs.renameSync(claim, path) === undefined, false)
}

/** The path of the claim. The file stays behind if a process dies during a takeover. */
export function claimPath(path: string): string {
  return `${path}.claim`
}

function parseRecord(raw: string): LockRecord | undefined {
  const value: unknown = attempt(() => JSON.parse(raw), undefined)
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false
  const texts = ['startedAt', 'host', 'machine', 'token', 'since']
  const isText = (key: string) => typeof Reflect.get(value, key) === 'string'
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 0 && texts.every(isText)
}
