import { CliError } from './errors.ts'

/** Reads an option or operand that is a whole number from `least` up. */
export function parseCount(name: string, text: string, least = 1): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least) return count
  throw new CliError('usage', `${name} is a whole number from ${least} up.`)
}
