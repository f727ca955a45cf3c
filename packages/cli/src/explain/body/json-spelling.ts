import type { BodyHypothesis } from '../hypothesis.ts'

/** The same JSON, with other escapes in its texts. */
export const escapes: BodyHypothesis = {
  code: 'body_escapes',
  says: 'The body here and the signed one spell characters differently, one with escapes.',
  fix:
    'Sign and check the exact bytes: languages differ in whether they escape /, <, letters beyond ' +
    'ASCII, and the line separators U+2028 and U+2029.',
  *variants(body) {
    const text = decode(body)
    for (const spell of [...spellings, ...unspellings]) yield Buffer.from(spell(text))
  },
}

/** The same JSON, written again: other spaces, order or escapes. */
export const jsonRewritten: BodyHypothesis = {
  code: 'body_json_rewritten',
  says: 'The JSON was parsed and written again, so that its bytes changed: spaces, order or escapes.',
  fix:
    'Check the signature over the raw bytes, before any parser: never over ' +
    'JSON.stringify(request.body).',
  *variants(body) {
    const value = parse(body)
    if (value === undefined) return
    for (const each of [value, sortKeys(value)]) {
      for (const layout of layouts) {
        const text = layout(each)
        for (const spell of [same, ...spellings]) {
          yield Buffer.from(spell(text))
          yield Buffer.from(`${spell(text)}\n`)
        }
      }
    }
  },
}

const same = (text: string): string => text

const spellings: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replaceAll(/[\u2028\u2029]/g, escapeUnit),
  (text) => text.replaceAll(/[^\0-\u007F]/g, escapeUnits),
  (text) => text.replaceAll(/[^\0-\u007F]/g, (letter) => upperDigits(escapeUnits(letter))),
  (text) => text.replaceAll('/', '\\/').replaceAll(/[^\0-\u007F]/g, escapeUnits),
  (text) => text.replaceAll(/[<>&\u2028\u2029]/g, escapeUnit),
  (text) => text.replaceAll(/[<>&'\u007F-\uFFFF]/g, (unit) => upperDigits(escapeUnit(unit))),
]

const unspellings: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('\\/', '/'),
  (text) => text.replaceAll(/\\u202([89])/g, (_, digit) => (digit === '8' ? '\u2028' : '\u2029')),
  (text) => text.replaceAll(/\\u([0-9a-f]{4})/gi, unescapeUnit),
  (text) => text.replaceAll('\\/', '/').replaceAll(/\\u([0-9a-f]{4})/gi, unescapeUnit),
]

const layouts: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => JSON.stringify(value, null, '\t'),
  spaced,
]

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

function escapeUnits(letters: string): string {
  return letters.split('').map(escapeUnit).join('')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function upperDigits(escapesInText: string): string {
  return escapesInText.replaceAll(/\\u[0-9a-f]{4}/g, (each) => `\\u${each.slice(2).toUpperCase()}`)
}

// What JSON must escape stays escaped.
function unescapeUnit(escape: string, digits: string): string {
  const unit = String.fromCharCode(Number.parseInt(digits, 16))
  return unit < ' ' || unit === '"' || unit === '\\' ? escape : unit
}

// A decoder that keeps the byte order mark, which JSON.parse then refuses, as it should.
function decode(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8')
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(decode(body).replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
