import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CliError } from './errors.ts'

/** The bytes that `recordDeliveries` wrote beside the file with their headers, by their hash. */
export function readBodyBeside(path: string, sha256: string): Uint8Array {
  const bodyPath = path.replace(/\.json$/, '.body')
  const body = readIfThere(bodyPath)
  if (body && createHash('sha256').update(body).digest('hex') === sha256) return body
  throw new CliError(
    'unreadable_file',
    `${path} was recorded with a body in ${bodyPath}, which ${body ? 'has other bytes now' : 'cannot be read'}. ` +
      'Restore it, and have git treat *.body as binary.',
  )
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
