type Spell = (text: string) => string

const slash = (text: string) => text.replaceAll('/', '\\/')
const noSlash = (text: string) => text.replaceAll('\\/', '/')
const beyondAscii = /[^\0-\u007F]/g

/** Ways in which languages write characters of JSON with escapes. */
export const spellings: readonly Spell[] = [
  slash,
  (text) => text.replaceAll(/[\u2028\u2029]/g, escapeUnit),
  (text) => text.replaceAll(beyondAscii, escapeUnit),
  (text) => text.replaceAll(beyondAscii, upperUnit),
  (text) => slash(text).replaceAll(beyondAscii, escapeUnit),
  (text) => text.replaceAll(/[<>&\u2028\u2029]/g, escapeUnit),
  (text) => text.replaceAll(/[<>&'\u007F-\uFFFF]/g, upperUnit),
]

/** The same escapes, undone. */
export const unspellings: readonly Spell[] = [
  noSlash,
  (text) => text.replaceAll(/\\u202([89])/g, (_, digit) => (digit === '8' ? '\u2028' : '\u2029')),
  (text) => text.replaceAll(/\\u([0-9a-f]{4})/gi, unescapeUnit),
  (text) => noSlash(text).replaceAll(/\\u([0-9a-f]{4})/gi, unescapeUnit),
]

const layouts: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => JSON.stringify(value, null, '\t'),
  spaced,
]

/** The texts that serializers make of a JSON value. */
export function* writeJson(value: unknown): Iterable<string> {
  for (const each of [value, sortKeys(value)]) {
    for (const layout of layouts) {
      const text = layout(each)
      for (const spelled of [text, ...spellings.map((spell) => spell(text))]) {
        yield spelled
        yield `${spelled}\n`
      }
    }
  }
}

/** As Python writes it: a space behind each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`,
  )
  return `{${members.join(', ')}}`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, each]) => [name, sortKeys(each)] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function upperUnit(unit: string): string {
  return `\\u${escapeUnit(unit).slice(2).toUpperCase()}`
}

// What JSON must escape stays escaped.
function unescapeUnit(escape: string, digits: string): string {
  const unit = String.fromCharCode(Number.parseInt(digits, 16))
  return unit < ' ' || unit === '"' || unit === '\\' ? escape : unit
}
