import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutSecrets } from '@feed-receiver/core'
import { describe, expect, it } from 'vitest'
import { root } from '../check/workspaces.ts'

/**
 * The JSON files with texts, which have placeholders such as `{folder}`, and the functions that use
 * them. Their arguments are the name of a text, or of its group and then its own, and the values.
 */
const tables = [
  { texts: 'packages/database/src/errors.json', takers: ['say'] },
  { texts: 'packages/inbox/src/errors.json', takers: ['say', 'problem'] },
  { texts: 'packages/create-feed-receiver/src/errors.json', takers: ['problem'] },
]

describe.each(tables)('$texts', ({ texts: path, takers }) => {
  const texts = flatten(JSON.parse(readFileSync(join(root, path), 'utf8')))
  const calls = sourcesBeside(path).flatMap((source) => callsIn(source, takers))

  it.each(calls)('$name gets $given', ({ name, given, isWhole }) => {
    const text = texts.get(name) ?? ''
    const wanted = [...text.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place)
    if (isWhole) expect([...new Set(wanted)].toSorted()).toEqual(given.toSorted())
    else expect(wanted).toEqual(expect.arrayContaining(given))
  })

  it('has no text that the redactor of logs would garble', () => {
    const garbled = [...texts.values()].filter((text) => withoutSecrets(text) !== text)
    expect(garbled).toEqual([])
  })

  it('has no unused text', () => {
    const all = sourcesBeside(path).join('\n')
    const said = (name: string) => all.includes(`'${name.split(' ').at(-1)}'`)
    expect([...texts.keys()].filter((name) => !said(name))).toEqual([])
  })
})

/** Texts by name, or by the names of group and text. */
function flatten(table: Record<string, string | Record<string, string>>): Map<string, string> {
  const entries = Object.entries(table).flatMap(([name, text]) =>
    typeof text === 'string'
      ? [[name, text] as const]
      : Object.entries(text).map(([own, inner]) => [`${name} ${own}`, inner] as const),
  )
  return new Map(entries)
}

function sourcesBeside(path: string): string[] {
  const folder = join(root, path, '..')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

interface Call {
  name: string
  /** The names of the values that it gets. */
  given: string[]
  /** Whether these are all. False if an object is spread. */
  isWhole: boolean
}

function callsIn(source: string, takers: string[]): Call[] {
  const call = new RegExp(
    String.raw`\b(?:${takers.join('|')})\(\s*'(\w+)'(?:,\s*'(\w+)')?(?:,\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\})?`,
    'g',
  )
  return [...source.matchAll(call)].map(([, first = '', second, values = '']) => ({
    name: second === undefined ? first : `${first} ${second}`,
    given: membersOf(values),
    isWhole: !values.includes('...'),
  }))
}

/** The names of the members in the source of an object, without nested ones. */
function membersOf(object: string): string[] {
  let flat = object
  for (let before = ''; before !== flat;) {
    before = flat
    flat = flat.replaceAll(/\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}|`[^`]*`|'[^']*'/g, '')
  }
  return flat
    .split(',')
    .map((member) => /^\s*(\w+)/.exec(member)?.[1])
    .filter((name) => name !== undefined)
}
