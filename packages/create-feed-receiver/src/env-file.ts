import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { AppFramework } from './context.ts'

export const secretName = 'FEED_SIGNING_SECRET'

/** The text of a file in a folder, without a byte order mark; undefined if there is none. */
export function readThere(folder: string, path: string): string | undefined {
  const file = join(folder, path)
  return existsSync(file) ? readFileSync(file, 'utf8').replace(/^\uFEFF/, '') : undefined
}

/** Whether a variable is set in the text of an .env file. */
export function hasLine(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text)
}

/** Whether a variable is set to a non-empty value, as Node parses the text. */
export function hasValue(text: string, name: string): boolean {
  return (parseEnv(text)[name] ?? '') !== ''
}

/** Sets a variable: in its existing or commented-out line, else in a new line at the end. */
export function setLine(text: string, name: string, value: string): string {
  const line = `${name}=${value}`
  const assigned = `(?:export[ \\t]+)?${name}[ \\t]*=.*$`
  for (const found of [new RegExp(`^${assigned}`, 'm'), new RegExp(`^# ?${assigned}`, 'm')]) {
    if (found.test(text)) return text.replace(found, () => line)
  }
  return withLines(text, [line])
}

/** A text with these lines appended. */
export function withLines(text: string, lines: readonly string[]): string {
  const isEnded = text === '' || text.endsWith('\n')
  return `${text}${isEnded ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`
}

/** A text that sets a signing secret: the existing one, or a new one for development. */
export function withSecret(text: string): string {
  return hasValue(text, secretName) ? text : setLine(text, secretName, developmentSecret())
}

/** A signing secret for development. For production, the service provides one. */
export function developmentSecret(): string {
  return `feed_whsec_dev_${randomBytes(24).toString('base64url')}`
}

/**
 * Whether a receiver would start with this secret; the same check as `secretProblem` of the core.
 */
export function isSigningSecret(text: string): boolean {
  return /^feed_whsec_(?!.*feed_whsec_)(?!.*\\[nrt]$)[!-+\--~]+$/.test(text)
}

/**
 * The advice on an .env file whose secret no receiver accepts. `framework` is that of an existing
 * app; a created app checks its secret at the start in every framework.
 */
export function adviseOnSecret(text: string, framework?: AppFramework): string | undefined {
  const { [secretName]: secret = '' } = parseEnv(text)
  if (secret === '' || isSigningSecret(secret)) return undefined
  // There the route of `--into` reads the secret with each delivery, because builds run it without.
  const startsAnyway = framework && ['next', 'sveltekit', 'nuxt'].includes(framework)
  const effect = startsAnyway
    ? 'the app will start, but answer each delivery with 503'
    : 'the app will not start'
  return (
    `${secretName} in .env is not a signing secret, so ${effect}. Replace it with the whole secret ` +
    'that the service showed you; it begins with feed_whsec_.'
  )
}
