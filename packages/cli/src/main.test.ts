import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { commands } from './commands.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe('every verb', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    '%s names all of its options with --help',
    async (name, { load }) => {
      const { options } = await load()
      const run = await runMain([...name.split(' '), '--help'])
      expect(run).toMatchObject({ code: 0, stderr: '' })
      for (const { flags } of Object.values(options)) expect(run.stdout).toContain(flags)
    },
  )

  it('is in the table of the README, and nothing else is', () => {
    const rows = [...readme.matchAll(/^\| `feed-receiver ([^`<[]+)/gm)]
    const listed = rows.map(([, name = '']) => name.trim())
    expect(listed).toEqual(commands.map(({ name }) => name))
  })
})

describe('the command', () => {
  it('lists the verbs', async () => {
    const [help, nothing] = await Promise.all([runCli(['--help']), runCli([])])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const { name } of commands) expect(help.stdout).toContain(`\n  ${name} `)
    expect(nothing).toEqual(help)
  })

  it('says its version', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    ['a verb with a letter missing', ['sen'], /There is no command "sen"\. Did you mean send\?/],
    ['help for no verb', ['sned', '--help'], /There is no command "sned"\. Did you mean send\?/],
    [
      'a letter missing in a later word',
      ['inbox', 'lst'],
      /"inbox lst"\. Did you mean inbox list\?/,
    ],
    ['a verb that is not whole', ['inbox'], /After "inbox" comes one of: list, /],
    ['an unknown verb', ['frobnicate'], /no command "frobnicate"\. See: feed-receiver --help/],
    ['an option before the verb', ['--to', 'x', 'send'], /The command comes first/],
    ['a wrong option', ['send', 'x', '--too=y'], /no option --too\. Did you mean --to\?/],
    ['an option without its value', ['send', 'x', '--to'], /--to needs a value: --to=<url>/],
    ['an option as a value', ['send', 'x', '--to', '--json'], /--to needs a value/],
    ['letters together', ['send', 'x', '-hx'], /stand apart/],
    ['a value for a switch', ['send', 'x', '--retry=yes'], /--retry takes no value/],
  ])('meets %s with one line and exit code 2', async (_, args, message) => {
    const run = await runMain(args)
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('gives errors as JSON with --json', async () => {
    const { stderr, code } = await runCli(['send', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toEqual({ code: 'usage', error: expect.any(String) })
  })
})
