import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { attempt } from '../errors.ts'
import { hasCode, type ProcessIdentity } from './process-identity.ts'

/** Who holds a folder. `token` tells two locks of one process apart. */
export interface LockRecord extends ProcessIdentity {
  token: string
  since: string
}

/** A lock file as it was at one moment. */
export interface SeenLock {
  raw: string
  mtimeMs: number
  /** Undefined while the file is empty or holds something else. */
  record: LockRecord | undefined
}

/** Undefined where there is no lock file. */
export function readLock(path: string): SeenLock | undefined {
  const file = unless('ENOENT', () => openSync(path, 'r'))
  if (file === 'failed') return undefined
  try {
    const raw = readFileSync(file, 'utf8')
    return { raw, mtimeMs: fstatSync(file).mtimeMs, record: parseRecord(raw) }
  } finally {
    closeSync(file)
  }
}

/** Creates the file with that record; false where there already is one. */
export function createLock(path: string, record: LockRecord): boolean {
  const write = () => writeFileSync(path, JSON.stringify(record), { flag: 'wx' })
  return unless('EEXIST', write) !== 'failed'
}

/**
 * Puts our record in the place of a lock found stale; false where somebody else was faster.
 *
 * The claim is our record under a second name that only one process can create. Whoever creates it
 * reads the lock once more: after another's takeover it is no longer the stale one. The rename then
 * publishes the record and gives the claim's name free in one step.
 */
export function replaceLock(path: string, stale: SeenLock, record: LockRecord): boolean {
  const claim = claimPath(path)
  if (!createLock(claim, record)) return false
  const now = readLock(path)
  if (now?.raw !== stale.raw || now.mtimeMs !== stale.mtimeMs) {
    rmSync(claim, { force: true })
    return false
  }
  return unless('ENOENT', () => renameSync(claim, path)) !== 'failed'
}

/** Where a takeover is announced. It stays behind when a process dies in the middle of one. */
export function claimPath(path: string): string {
  return `${path}.claim`
}

function parseRecord(raw: string): LockRecord | undefined {
  const value: unknown = attempt(
    () => JSON.parse(raw),
    () => undefined,
  )
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false
  const texts = ['startedAt', 'host', 'machine', 'token', 'since']
  const isText = (key: string) => typeof Reflect.get(value, key) === 'string'
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 0 && texts.every(isText)
}

/** Runs something that may fail with that code; any other error is thrown. */
function unless<T>(code: string, run: () => T): T | 'failed' {
  return attempt<T | 'failed'>(run, (error) => {
    if (hasCode(error, code)) return 'failed'
    throw error
  })
}
