import { parseEnv } from 'node:util'

/** Whether a variable is set in the text of an .env file. */
export function hasLine(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text)
}

/** Whether a variable is set to anything, as Node reads the text. */
export function hasValue(text: string, name: string): boolean {
  return (parseEnv(text)[name] ?? '') !== ''
}

/** Sets a variable: in the line that has it, or has it commented out, else in a new one at the end. */
export function setLine(text: string, name: string, value: string): string {
  const line = `${name}=${value}`
  const assigned = `(?:export[ \\t]+)?${name}[ \\t]*=.*$`
  for (const found of [new RegExp(`^${assigned}`, 'm'), new RegExp(`^# ?${assigned}`, 'm')]) {
    if (found.test(text)) return text.replace(found, () => line)
  }
  return withLines(text, [line])
}

/** A text with these lines at its end. */
export function withLines(text: string, lines: readonly string[]): string {
  const isEnded = text === '' || text.endsWith('\n')
  return `${text}${isEnded ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`
}
