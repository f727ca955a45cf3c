/**
 * The SQLSTATE of an error that the server itself sent, else undefined. `severity` tells the two
 * apart: `EPIPE` is five capitals too, and `instanceof` fails over a second copy of `pg`.
 */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
