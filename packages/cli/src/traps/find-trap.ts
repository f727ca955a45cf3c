import { reasons } from '@feed-receiver/core'
import { entriesOf } from '../texts.ts'
import json from './traps.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const table = { ...json }

/**
 * Why an authentic delivery was rejected, if the response shows who sent it. Contains no part of
 * the response.
 */
export interface Trap {
  /** Stable across versions. */
  name: string
  /** The program that responded, as far as the response shows it. */
  who: string
  why: string
  /** What to change. */
  fix: string
  /** The page of the guides, relative to the root of the repository. */
  page: string
}

/** The parts of a response that show who sent it. */
export interface Signs {
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body. Only the first kilobyte is examined. */
  body: string
}

/** A trap as in `traps.json`. Every given condition must match. */
interface Row extends Omit<Trap, 'name' | 'why'> {
  kind: string
  /** Error codes of the receiver itself. Without them the row matches only responses of others. */
  codes?: string[]
  status?: number[]
  /** Patterns. A missing header counts as an empty text. */
  headers?: Record<string, string>
  body?: string
}

interface Known {
  trap: Trap
  fits(signs: Signs, ownCode: string | undefined): boolean
}

const whys = new Map(Object.entries(table.why))

/** Every trap, in the order in which they are tried. */
export const traps: readonly Known[] = Object.entries<Row>(table.traps).map(([name, row]) => {
  const { kind, codes, status, headers = {}, body = '', who, fix, page } = row
  const bodyForm = new RegExp(body)
  const headerForms = entriesOf(headers).map(([key, form]) => [key, new RegExp(form, 'i')] as const)
  return {
    trap: { name, who, why: whys.get(kind) ?? '', fix, page },
    fits: (signs, ownCode) =>
      (codes ? codes.includes(String(ownCode)) : ownCode === undefined) &&
      (status?.includes(signs.status) ?? true) &&
      headerForms.every(([key, form]) => form.test([signs.headers[key] ?? ''].flat().join(', '))) &&
      bodyForm.test(signs.body),
  }
})

/** The trap that a response shows; undefined if it shows none. */
export function findTrap({ status, headers, body }: Signs): Trap | undefined {
  if (status < 300) return undefined
  const signs = { status, headers, body: body.slice(0, 1024).trimEnd() }
  const ownCode = readOwnAnswer(signs.body)?.code
  return traps.find(({ fits }) => fits(signs, ownCode))?.trap
}

/** Says in sentences who responded, and why. */
export function describeWho({ who, why }: Trap): string {
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} answered. ${why}`
}

/**
 * The error of a response that only a receiver of this kit gives; undefined for any other response.
 */
export function readOwnAnswer(body: string): { code: string; error: string } | undefined {
  try {
    const { error, code }: { error?: unknown; code?: unknown } = Object(JSON.parse(body))
    const isOwn = typeof error === 'string' && typeof code === 'string'
    return isOwn && Object.hasOwn(reasons, code) ? { code, error } : undefined
  } catch {
    return undefined
  }
}
