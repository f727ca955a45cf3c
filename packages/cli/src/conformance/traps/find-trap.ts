import { reasons } from '@feed-receiver/core'
import { parseJson } from '../../or-undefined.ts'
import { traps, type Trap } from './traps.ts'

export type { Trap } from './traps.ts'

export interface Signs {
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Only the first kilobyte is examined. */
  body: string
}

/** The trap that a response shows; undefined if it shows none. */
export function findTrap({ status, headers, body }: Signs): Trap | undefined {
  if (status < 300) return undefined
  const beginning = body.slice(0, 1024).trimEnd()
  const own = readOwnAnswer(beginning)
  const headerOf = (name: string) => [headers[name] ?? ''].flat().join(', ')
  return traps.find(
    ({ signs }) =>
      (signs.codes ? signs.codes.includes(String(own?.code)) : own === undefined) &&
      (signs.status?.includes(status) ?? true) &&
      Object.entries(signs.headers ?? {}).every(([name, form]) => form.test(headerOf(name))) &&
      (signs.body?.test(beginning) ?? true),
  )?.trap
}

/** Says in sentences who responded, and why. */
export function describeWho({ who, why }: Trap): string {
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} answered. ${why}`
}

/** The page of the guides on the site, because an installed package contains no such file. */
export function guideUrl({ page }: Pick<Trap, 'page'>): string {
  const path = page.replace(/^docs\//, '').replace(/(?:README)?\.md$/, '')
  return `https://feed-receiver.github.io/feed-receiver/${path}`
}

/**
 * The error of a response that only a receiver of this kit gives; undefined for any other response.
 */
export function readOwnAnswer(body: string): { code: string; error: string } | undefined {
  const { error, code }: { error?: unknown; code?: unknown } = Object(parseJson(body))
  const isOwn = typeof error === 'string' && typeof code === 'string'
  return isOwn && Object.hasOwn(reasons, code) ? { code, error } : undefined
}
