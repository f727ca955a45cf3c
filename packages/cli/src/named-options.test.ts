import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runMain } from '../test/run-main.ts'
import type { Verb } from './command.ts'
import { commands as listed } from './commands.ts'

const commands = await Promise.all(
  listed.map(async ({ load, ...listing }) => ({ ...listing, verb: await load() })),
)
// The last ones are an option of Node, a property of CSS in a page of Astro, the option of other tools
// that `models` looks for, and a flag of V8.
const everywhere = ['json', 'help', 'version', 'import', 'gray-', 'model', 'wasm-tiering-budget']

it.each(sourcesOf(new URL('.', import.meta.url)))(
  '%s names only existing options',
  async (path, text) => {
    if (!path.startsWith('commands/')) return expect(unknownIn(text, commands)).toEqual([])
    const exported = (await import(new URL(path, import.meta.url).href)) as Record<string, unknown>
    const own = (...names: string[]) =>
      commands.filter(({ verb }) => names.some((name) => exported[name] === verb))
    const [shared = '', ...verbs] = text.split(/^export const /m)
    expect(unknownIn(shared, own(...Object.keys(exported)))).toEqual([])
    for (const verb of verbs) {
      const here = own(/^\w+/.exec(verb)?.[0] ?? '')
      expect(here).toHaveLength(1)
      expect(unknownIn(verb, here)).toEqual([])
    }
  },
)

it.each(commands)('the help of $name names only its own options', (command) => {
  const { summary, verb } = command
  const descriptions = Object.values(verb.options).map(({ description }) => description)
  const texts = [summary, ...descriptions, ...verb.notes, ...verb.examples]
  expect(unknownIn(texts.join('\n'), [command])).toEqual([])
})

it.each(commands)('the notes of $name fit into 100 columns', async ({ name, verb: { notes } }) => {
  const { stdout } = await runMain([...name.split(' '), '--help'])
  const printed = stdout.split('\n')
  for (const note of notes) {
    const first = printed.findIndex((line) => line !== '' && note.startsWith(line))
    expect(first).toBeGreaterThan(0)
    const end = printed.indexOf('', first)
    const lines = printed.slice(first, end)
    expect(lines.join(' ')).toBe(note)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  }
})

/** The options that a text names and that none of these verbs has. */
function unknownIn(text: string, here: readonly { verb: Verb }[]): string[] {
  return text.split('\n').flatMap((line) => {
    // A whole command line has the options of its own command.
    const written = commands.filter(({ name }) => line.includes(`feed-receiver ${name} `))
    const options = (written.length > 0 ? written : here).flatMap(optionsOf)
    const named = [...line.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name = '']) => name)
    return named.filter((name) => ![...everywhere, ...options].includes(name))
  })
}

function optionsOf({ verb }: { verb: Verb }): string[] {
  return Object.values(verb.options).map((option) => option.name())
}

it('the sandbox names in brackets only options of its command', () => {
  const options = commands.filter(({ name }) => name === 'sandbox').flatMap(optionsOf)
  const sandbox = new URL('../../sandbox/src/', import.meta.url)
  const named = [...sourcesOf(sandbox), ...sourcesOf(sandbox, '.json')].flatMap(([, text]) =>
    [...text.matchAll(/\(--([a-z-]+)\)/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !options.includes(name))).toEqual([])
})

function sourcesOf(folder: URL, ending = '.ts'): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.endsWith('.test.ts'))
    .map((path) => [path, readFileSync(new URL(path, folder), 'utf8')])
}
