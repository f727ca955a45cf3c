/** How deep a value may be nested to be written out; the compilers of others have limits, too. */
const maxDepth = 20
const lineWidth = 100

/** Writes a value that JSON can hold as TypeScript, indented for where it stands. */
export function literalOf(value: unknown, indent = 0): string {
  return canBeWrittenOut(value)
    ? write(value, indent)
    : `JSON.parse(${quote(JSON.stringify(value))})`
}

/**
 * Writes bytes so that they come back as they are: as the value of which they are the JSON, or else
 * in Base64.
 */
export function literalOfBytes(
  bytes: Uint8Array,
  indent: number,
): { json: string } | { base64: string } {
  const buffer = Buffer.from(bytes)
  const inBase64 = { base64: quote(buffer.toString('base64')) }
  const value = parse(buffer.toString())
  // No JSON, or so deep that it would be none again.
  if (value === undefined || !canBeWrittenOut(value)) return inBase64
  const isWhole = buffer.equals(Buffer.from(JSON.stringify(value)))
  return isWhole ? { json: write(value, indent) } : inBase64
}

/** Writes a text in single quotes, so that it stays one in any file and shows what is in it. */
export function quote(text: string): string {
  // JSON has escaped quotes, backslashes, line ends and halves of surrogates by then.
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    // Nothing reads this file as HTML, but a page may show it.
    .replaceAll('</', '<\\/')
    .replaceAll(invisible, escapeUnits)
  return `'${escaped}'`
}

/** Ends lines (U+2028), turns the direction of a text, or cannot be seen. */
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

/** A number too large for JavaScript was read as an infinite one, and `-0` would lose its sign. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0))
}

/** On one line where there is room for it. */
function write(value: unknown, indent: number): string {
  const line = writeFlat(value)
  const parts = indent + line.length <= lineWidth ? [] : partsOf(value, indent + 2, write)
  if (parts.length === 0) return line
  const pad = ' '.repeat(indent)
  const lines = parts.map((part) => `${pad}  ${part},\n`).join('')
  return Array.isArray(value) ? `[\n${lines}${pad}]` : `{\n${lines}${pad}}`
}

function writeFlat(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = partsOf(value, 0, writeFlat).join(', ')
  if (Array.isArray(value)) return `[${parts}]`
  return parts === '' ? '{}' : `{ ${parts} }`
}

/** The items or members of a value, each as TypeScript; none of what has none. */
function partsOf(
  value: unknown,
  indent: number,
  writePart: (part: unknown, indent: number) => string,
): string[] {
  if (Array.isArray(value)) return value.map((item) => writePart(item, indent))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, part]) => `${keyOf(name)}: ${writePart(part, indent)}`)
}

/** A name as a member of an object. */
export function keyOf(name: string): string {
  // As a plain member it would set the prototype of the object.
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}
