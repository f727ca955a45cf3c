/** The maximum depth of a value to write out, because compilers have limits, too. */
const maxDepth = 20
const lineWidth = 100

/** Writes a JSON value as TypeScript, indented for its position. */
export function literalOf(value: unknown, indent = 0): string {
  return canBeWrittenOut(value)
    ? write(value, indent)
    : `JSON.parse(${quote(JSON.stringify(value))})`
}

/** Writes bytes so that they can be restored exactly: as the value of their JSON, or in Base64. */
export function literalOfBytes(
  bytes: Uint8Array,
  indent: number,
): { json: string } | { base64: string } {
  const buffer = Buffer.from(bytes)
  const inBase64 = { base64: quote(buffer.toString('base64')) }
  const value = parse(buffer.toString())
  // Not JSON, or nothing that can be written out as a value.
  if (value === undefined || !canBeWrittenOut(value)) return inBase64
  const isWhole = buffer.equals(Buffer.from(JSON.stringify(value)))
  return isWhole ? { json: write(value, indent) } : inBase64
}

/** Writes a text in single quotes, safe in any file and with every character visible. */
export function quote(text: string): string {
  // JSON has already escaped quotes, backslashes, line ends and half surrogates.
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    // Nothing reads this file as HTML, but a page may show it.
    .replaceAll('</', '<\\/')
    .replaceAll(invisible, escapeUnits)
  return `'${escaped}'`
}

/** Characters that end lines (U+2028), change the direction of a text, or are invisible. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function canBeWrittenOut(value: unknown, depth = 0): boolean {
  if (depth > maxDepth) return false
  if (typeof value !== 'object' || value === null) return isPlain(value)
  return Object.values(value).every((member) => canBeWrittenOut(member, depth + 1))
}

/** JSON.parse reads too large numbers as infinite, and `-0` would lose its sign. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0))
}

/** Writes a value on one line if it fits. */
function write(value: unknown, indent: number): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, indent + 2))
    : Object.entries(value).map(([name, part]) => `${keyOf(name)}: ${write(part, indent + 2)}`)
  const [open, space, close] = Array.isArray(value) ? ['[', '', ']'] : ['{', ' ', '}']
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (!line.includes('\n') && indent + line.length <= lineWidth) return line
  const pad = ' '.repeat(indent)
  const lines = parts.map((part) => `${pad}  ${part},\n`).join('')
  return `${open}\n${lines}${pad}${close}`
}

/** Writes a name as the key of an object. */
export function keyOf(name: string): string {
  // As a plain key it would set the prototype of the object.
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}
