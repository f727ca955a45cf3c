import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * The text of ./.env; empty if there is none.
 *
 * @throws the error of a file that cannot be read
 */
export function readEnvText(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    // A folder with that name belongs to another tool, for example of Python.
    if (['ENOENT', 'EISDIR'].includes(Object(error).code)) return ''
    throw error
  }
}

/** The variables of ./.env. Editors of Windows begin it with a byte order mark. */
export function readEnvFile(): Record<string, string | undefined> {
  return parseEnv(readEnvText().replace(/^\uFEFF/, ''))
}
