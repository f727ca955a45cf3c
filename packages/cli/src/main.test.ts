import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { builtProgram, shortLived } from '../../../test/support/built-program.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { commands } from './commands.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe('every verb', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    '%s lists all of its options with --help',
    async (name, { load }) => {
      const { options } = await load()
      const run = await runMain([...name.split(' '), '--help'])
      expect(run).toMatchObject({ code: 0, stderr: '' })
      for (const { flags } of Object.values(options)) expect(run.stdout).toContain(flags)
    },
  )

  it('has a row in the table of the README, in the same order', () => {
    const rows = [...readme.matchAll(/^\| `feed-receiver ([^`<[]+)/gm)]
    const listed = rows.map(([, name = '']) => name.trim())
    expect(listed).toEqual(commands.map(({ name }) => name))
  })
})

describe('the command', () => {
  it('lists the verbs', async () => {
    const [help, nothing] = [await runMain(['--help']), await runMain([])]
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const { name } of commands) expect(help.stdout).toContain(`\n  ${name} `)
    expect(nothing).toEqual(help)
  })

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    ['a misspelled verb', ['sen'], /There is no command "sen"\. Did you mean send\?/],
    [
      'help for a misspelled verb',
      ['sned', '--help'],
      /There is no command "sned"\. Did you mean send\?/,
    ],
    ['a misspelled later word', ['inbox', 'lst'], /"inbox lst"\. Did you mean inbox list\?/],
    ['an incomplete verb', ['inbox'], /"inbox" needs a command: list, /],
    ['an unknown verb', ['frobnicate'], /no command "frobnicate"\. See: feed-receiver --help/],
    ['an option before the verb', ['--to', 'x', 'send'], /Put the command before its options/],
    ['an unknown option', ['send', 'x', '--too=y'], /no option --too\. Did you mean --to\?/],
    ['an option without its value', ['send', 'x', '--to'], /--to needs a value: --to=<url>/],
    ['an option as a value', ['send', 'x', '--to', '--json'], /--to needs a value/],
    ['combined letters', ['send', 'x', '-hx'], /separately/],
    ['a value for a flag', ['send', 'x', '--retry=yes'], /--retry takes no value/],
  ])('reports %s in one line with exit code 2', async (_, args, message) => {
    const run = await runMain(args)
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('prints errors as JSON with --json', async () => {
    const { stderr, code } = await runCli(['send', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toEqual({ code: 'usage', error: expect.any(String) })
  })
})

it.each([
  ['stdout', ['inbox', '--help'], 0],
  ['stderr', ['sned'], 2],
] as const)('ends in order if the reader of %s closes the pipe', async (name, args, code) => {
  const bin = builtProgram(new URL('bin.ts', import.meta.url))
  const child = spawn(process.execPath, [...shortLived, bin, ...args])
  child[name].destroy()
  expect(await once(child, 'exit')).toEqual([code, null])
})

it.each([
  ['send gone.json --to http://localhost:1'],
  ['send . --to http://localhost:1'],
  ['replay gone.json --to http://localhost:1'],
  ['explain gone.json'],
  ['explain package.json --headers-file gone.txt'],
  ['check http://localhost:1 --secret-file gone.txt'],
  ['doctor --secret-file gone.txt'],
  ['check http://localhost:1 --secret-file blank.txt'],
  ['models gone'],
  ['inbox reproduce evt_1 --handlers ./gone.ts'],
  ['audit --output .'],
  ['audit --output package.json/report.txt'],
])('%s names a file that cannot be used, which is wrong usage', async (line) => {
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'package.json'), '{}')
  await writeFile(join(cwd, 'blank.txt'), ' \n')
  const env = { FEED_SIGNING_SECRET: 'feed_whsec_of_no_use_here_0123456789' }
  const { code, stdout, stderr } = await runMain([...line.split(' '), '--json'], { cwd, env })
  expect([code, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toMatchObject({ code: 'usage' })
})
