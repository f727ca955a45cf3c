import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Context } from './context.ts'

/**
 * The environment, and what ./.env adds to it. A variable that the environment sets to anything goes
 * before the file, as it does for the app.
 */
export function withEnvFile(env: Context['env'], { note }: Pick<Context['out'], 'note'>) {
  const isSet = ([, value]: [string, string | undefined]) => value !== undefined && value !== ''
  return { ...env, ...readEnvFile(note), ...Object.fromEntries(Object.entries(env).filter(isSet)) }
}

function readEnvFile(note: Context['out']['note']): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    // A folder of that name is somebody else's, of Python for example.
    if (code === 'ENOENT' || code === 'EISDIR') return {}
    note(`warning: ./.env cannot be read (${code}), so the environment alone counts.`)
    return {}
  }
}
