/** SHA-256 in hex of an expression of bytes: by the database, which has more processors for it. */
export function sha256Sql(bytes: string): string {
  return `encode(sha256(${bytes}), 'hex')`
}
