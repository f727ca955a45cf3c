import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commands as listed } from './commands.ts'

const root = new URL('../../../', import.meta.url)

const commands = await Promise.all(
  listed.map(async ({ name, load }) => {
    const { options } = await load()
    return { name, options: Object.values(options).map((option) => option.name()) }
  }),
)

/** Texts outside the help: guides, READMEs, texts of alerts and rules for Prometheus. */
const texts = ['', 'docs', 'packages', 'templates'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: folder !== '', encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /(?:\.md|\.yml|src\/.*\.json)$/.test(path))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|CHANGELOG\.md)/.test(path)),
)

it.each(texts)('%s names only existing commands and options', (path) => {
  const text = readFileSync(new URL(path, root), 'utf8').replaceAll('\\\n', ' ')
  // A command line is in a code span, after `npx`, or a line of its own.
  const written = text.matchAll(/(?:`|npx |^ *)feed-receiver ((?:inbox )?[a-z][^`\n]*)/gm)
  expect([...written].map(([, line = '']) => mistakeIn(line)).filter(Boolean)).toEqual([])
})

/** The unknown command or option in a command line; undefined if all are known. */
function mistakeIn(line: string): string | undefined {
  // Stands for all verbs of `inbox`.
  if (line === 'inbox') return undefined
  const found = commands.filter(({ name }) => `${line} `.startsWith(`${name} `))
  const [command] = found.toSorted((a, b) => b.name.length - a.name.length)
  if (!command) return line
  const options = [...line.matchAll(/ --([a-z][a-z-]*)/g)].map(([, name = '']) => name)
  const known = [...command.options, 'help']
  return options.every((name) => known.includes(name)) ? undefined : line
}
