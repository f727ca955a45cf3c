import { ClientError } from './errors.ts'

/** Writes the parameters that are there. */
export function toQuery(
  parameters: Record<string, string | number | null | undefined>,
): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  return query
}

/** A limit that is out of range would cost a request and give nothing. */
export function checkLimit(limit: number, largest: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= largest) return
  throw new ClientError('bad_option', `limit: use a whole number from 1 to ${largest}.`)
}
