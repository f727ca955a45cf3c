import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const leaking = [
  'bearer === token',
  'token != given',
  'given !== context.session.secret',
  "request.headers.get('authorization') === given",
  'given === `Bearer ${token}`',
  "(header ?? '') === options['apiKey']",
  '(await readCsrf()) !== given',
  'given.equals(expectedSignature)',
  'signatures.includes(expected)',
  'token.startsWith(given)',
]

const fine = [
  'token === undefined',
  "token === ''",
  'secrets.length === 0',
  "typeof token !== 'string'",
  "given.includes('token')",
  'timingSafeEqual(given, expectedSignature)',
]

it('reports a comparison outside constant time [R201]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oxlint-rules-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [at, code] of [...leaking, ...fine].entries()) {
    await writeFile(join(folder, `${at}.js`), `export const same = async () => ${code}\n`)
  }
  expect(await reportedIn(folder)).toEqual(leaking)
})

it('reports a check that is false for errors of another realm', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oxlint-rules-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [at, name] of ['Error', 'AggregateError', 'Permanent', 'Date'].entries()) {
    await writeFile(join(folder, `${at}.js`), `export const is = (x) => x instanceof ${name}\n`)
  }
  expect(await filesWith('realm', folder)).toEqual([0, 1])
})

it('reports a function of more than 60 lines without the functions inside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oxlint-rules-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const body = (lines: number) => '  value += 1\n\n  // A comment.\n'.repeat(lines)
  const inner = (lines: number) => `  const add = () => {\n${body(lines)}  }\n  add()\n`
  const bodies = [body(57), body(58), inner(50) + body(50), inner(58) + body(1)]
  for (const [at, text] of bodies.entries()) {
    const code = `export function run(value) {\n${text}  return value\n}\n`
    await writeFile(join(folder, `${at}.js`), code)
  }
  expect(await filesWith('function-length', folder)).toEqual([1])
})

/** The compared expressions that the rule reports. */
async function reportedIn(folder: string): Promise<string[]> {
  const files = await filesWith('constant-time', folder)
  return files.map((at) => [...leaking, ...fine][at] ?? '')
}

/** The numbers of the files that a rule reports with the configuration of this repository. */
async function filesWith(rule: string, folder: string): Promise<number[]> {
  const bin = join(root, 'node_modules/oxlint/bin/oxlint')
  const args = [bin, '-c', join(root, '.oxlintrc.json'), '-f', 'json', folder]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    // Its exit code is 1, because it finds problems.
    (error: { stdout: string }) => error,
  )
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string }[]
  }
  return diagnostics
    .filter(({ code }) => code === `feed-receiver(${rule})`)
    .map(({ filename }) => Number.parseInt(filename.split(/[\\/]/).at(-1) ?? '', 10))
    .toSorted((one, other) => one - other)
}
