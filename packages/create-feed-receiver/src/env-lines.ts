/** Whether a variable is set in the text of an .env file. */
export function hasLine(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text)
}

/** Whether a variable is set to anything. */
export function hasValue(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}[ \\t]*=[ \\t]*\\S`, 'm').test(text)
}

/** Sets a variable: in the line that has it, or has it commented out, else in a new one at the end. */
export function setLine(text: string, name: string, value: string): string {
  const line = `${name}=${value}`
  const found = new RegExp(`^(?:# ?)?${name}=.*$`, 'm')
  if (found.test(text)) return text.replace(found, () => line)
  const isEnded = text === '' || text.endsWith('\n')
  return `${text}${isEnded ? '' : '\n'}${line}\n`
}
