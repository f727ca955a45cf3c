import { reasons } from '@feed-receiver/core'
import { entriesOf } from '../texts.ts'
import json from './traps.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const table = { ...json }

/** Why an authentic delivery was rejected, where the answer shows who gave it. Holds no part of it. */
export interface Trap {
  /** Stays the same from version to version. */
  name: string
  /** Who answered, as far as the answer shows it. */
  who: string
  why: string
  /** What to change. */
  fix: string
  /** The page of the guides, from the root of the repository. */
  page: string
}

/** What an answer shows of who gave it. */
export interface Signs {
  status: number
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Its beginning; only the first kilobyte is looked at. */
  body: string
}

/** A trap as `traps.json` has it: all that is there has to fit. */
interface Row extends Omit<Trap, 'name' | 'why'> {
  kind: string
  /** Codes of the receiver itself. Without them the row is for answers of others alone. */
  codes?: string[]
  status?: number[]
  /** Patterns; a header that is missing is an empty text. */
  headers?: Record<string, string>
  body?: string
}

interface Known {
  trap: Trap
  fits(signs: Signs, ownCode: string | undefined): boolean
}

const whys = new Map(Object.entries(table.why))

/** Every trap, in the order in which they are looked for. */
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

/** The trap that an answer shows; undefined where it shows none. */
export function findTrap({ status, headers, body }: Signs): Trap | undefined {
  if (status < 300) return undefined
  const signs = { status, headers, body: body.slice(0, 1024).trimEnd() }
  const ownCode = readOwnAnswer(signs.body)?.code
  return traps.find(({ fits }) => fits(signs, ownCode))?.trap
}

/** Who answered, and why, in sentences. */
export function describeWho({ who, why }: Trap): string {
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} answered. ${why}`
}

/** What an answer says that only a receiver of this kit gives. */
export function readOwnAnswer(body: string): { code: string; error: string } | undefined {
  try {
    const { error, code }: { error?: unknown; code?: unknown } = Object(JSON.parse(body))
    const isOwn = typeof error === 'string' && typeof code === 'string'
    return isOwn && Object.hasOwn(reasons, code) ? { code, error } : undefined
  } catch {
    return undefined
  }
}
