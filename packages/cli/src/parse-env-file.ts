import { parseEnv } from 'node:util'

/** The variables of a .env file. Editors of Windows begin it with a byte order mark. */
export function parseEnvFile(text: string): Record<string, string | undefined> {
  return parseEnv(text.replace(/^\uFEFF/, ''))
}
