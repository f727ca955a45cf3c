import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { commands as listed } from './commands.ts'

const commands = await Promise.all(
  listed.map(async ({ name, load }) => ({ name, ...(await load()) })),
)
const everywhere = ['json', 'help', 'version']

it.each(sourcesOf(new URL('.', import.meta.url)))(
  '%s names only options that there are',
  (path, text) => {
    const own = commands.filter(({ name }) => `${name.replaceAll(' ', '-')}.ts` === basename(path))
    const here = path.startsWith('commands/') ? own : commands
    expect(here).not.toEqual([])
    for (const line of text.split('\n')) {
      // A whole command line has the options of its own command.
      const written = commands.filter(({ name }) => line.includes(`feed-receiver ${name} `))
      const options = (written.length > 0 ? written : here).flatMap((one) =>
        Object.values(one.options).map((option) => option.name()),
      )
      const named = [...line.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name)
      expect(named.filter((name = '') => ![...everywhere, ...options].includes(name))).toEqual([])
    }
  },
)

it('the sandbox names in brackets only options of its command', () => {
  const { options: table = {} } = commands.find(({ name }) => name === 'sandbox') ?? {}
  const options = Object.values(table).map((option) => option.name())
  const named = sourcesOf(new URL('../../sandbox/src/', import.meta.url)).flatMap(([, text]) =>
    [...text.matchAll(/\(--([a-z-]+)\)/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !options.includes(name))).toEqual([])
})

function sourcesOf(folder: URL): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => [path, readFileSync(new URL(path, folder), 'utf8')])
}
