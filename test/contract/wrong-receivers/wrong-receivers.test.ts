import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import { describe, expect, inject, it } from 'vitest'
import { renderTable } from '../../../packages/cli/src/conformance/check/render-table.ts'
import { checks, type CheckReport } from '../../../packages/cli/src/conformance/check/run-checks.ts'
import { startProgram, type RunningProgram } from '../../support/start-program.ts'
import { createTestDatabase, runSql } from '../../support/postgres.ts'
import { makeReceiver } from './make-receiver.ts'
import {
  checkReceiver,
  checkReceiverWith,
  checkUrl,
  namesOf,
  secrets,
  type Findings,
} from './run-receiver.ts'
import { makerOf, wrongReceivers, type WrongReceiver } from './wrong-receivers.ts'

const { 'jsonb-is-400': jsonb, 'ends-on-header': ending, ...faults } = wrongReceivers
const rows = Object.entries<WrongReceiver>(wrongReceivers)

/**
 * Whether every check runs against every receiver, to see that no other check fails. Otherwise only
 * those run that find its mistake.
 */
const isWhole = process.env['TEST_EVERY_WAY'] !== undefined

/** The findings on each receiver. Several tests share one run. */
const runs = new Map<string, Promise<Findings>>()

function runAgainst(name: string): Promise<Findings> {
  const findings = runs.get(name) ?? startRun(name)
  runs.set(name, findings)
  return findings
}

function startRun(name: string): Promise<Findings> {
  const wrong: WrongReceiver | undefined = rows.find(([each]) => each === name)?.[1]
  if (!wrong) throw new Error(`There is no wrong receiver ${name}.`)
  if (name === 'jsonb-is-400') return runAgainstJsonb()
  if (name === 'ends-on-header') return runAgainstEnding()
  return runOwn(wrong, makerOf(wrong))
}

function runOwn(
  { failed = [], warnings = [] }: WrongReceiver,
  ...run: Parameters<typeof checkReceiver>
): Promise<Findings> {
  if (isWhole) return checkReceiver(...run)
  return checkReceiverWith(new Set([...failed, ...warnings]), ...run)
}

async function runAgainstJsonb(): Promise<Findings> {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  await runSql(url, 'create table jsonb_event (id text primary key, event jsonb)')
  const make = makerOf(jsonb)
  // It stores in tables of its own.
  const options = { storedCount: undefined }
  const report = await runOwn(jsonb, (given) => make({ ...given, databaseUrl: url }), options)
  await drop()
  return report
}

/** It crashes its process, so it runs in a separate one. */
async function runAgainstEnding(): Promise<CheckReport> {
  const child = serve('ends-on-header')
  const report = await checkUrl(await child.nextLine())
  expect(await child.ended).toBe(1)
  return report
}

function serve(name: string): RunningProgram {
  const options = secrets.flatMap((secret) => ['--secret', secret])
  return startProgram(new URL('serve.ts', import.meta.url), [name, ...options])
}

describe('a wrong receiver fails the checks that find its mistake', () => {
  it.concurrent('jsonb-is-400', async () => {
    const report = await runAgainst('jsonb-is-400')
    expect(namesOf(report, 'failed').toSorted()).toEqual(jsonb.failed.toSorted())
  })

  it.concurrent('ends-on-header, and the checks after the crash do not run', async () => {
    const report = await runAgainst('ends-on-header')
    expect(namesOf(report, 'failed')).toEqual(ending.failed)
    expect(
      report.results.filter(({ blockedBy }) => blockedBy === 'signature_malformed').length,
    ).toBe(report.score.blocked)
    expect(report.score.blocked).toBeGreaterThan(10)
  })

  it.concurrent.each(Object.entries<WrongReceiver>(faults))('%s', async (name, wrong) => {
    const { failed = [], warnings = [] } = wrong
    const report = await runAgainst(name)
    expect(namesOf(report, 'failed').toSorted()).toEqual(failed.toSorted())
    expect(namesOf(report, 'warning').toSorted()).toEqual(warnings.toSorted())
    expect(report.hasPassed).toBe(failed.length === 0)
    expect(report.score.percent).toBeLessThan(100)
  })
})

/** The options of `check` that enable more checks. */
const abilities = ['storedCount', 'secondSecret', 'restart'] as const

describe('the table of wrong receivers', () => {
  it('has a receiver that fails each check', () => {
    const caught = rows.flatMap(([, { failed = [], warnings = [] }]) => [...failed, ...warnings])
    const names = checks.map(({ name }) => name)
    // Nobody writes a receiver that cannot be reached.
    const uncaught = names.filter((name) => name !== 'reachable' && !caught.includes(name))
    expect(uncaught).toEqual([])
  })

  it.concurrent('starts from a receiver that passes every check', async () => {
    const report = await checkReceiver((options) => makeReceiver(options))
    expect(report.results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(report.score.percent).toBe(100)
  })

  // `TEST_EVERY_WAY=1 npx vitest run test/contract/wrong-receivers -u` updates both files from these runs.
  it('equals the data beside it', async () => {
    const file = pathOf('test/contract/wrong-receivers/wrong-receivers.json')
    const { code } = await format(file, JSON.stringify(await findMistakes()), {})
    await expect(code).toMatchFileSnapshot(file)
  })

  it('equals the table in the guide', async () => {
    const file = pathOf('docs/conformance.md')
    const table = [
      '| receiver | mistake | found by | needs |',
      '| - | - | - | - |',
      ...(await findMistakes()).map(({ name, mistake, failed, warnings, needs }) => {
        const finds = [...failed, ...warnings.map((check) => `${check} (warning)`)].join(', ')
        return `| \`${name}\` | ${mistake} | ${finds} | ${needs.map(sayNeed).join(', ')} |`
      }),
    ].join('\n')
    const [start, end] = ['<!-- known mistakes -->', '<!-- end of known mistakes -->']
    const page = await readFile(file, 'utf8')
    const [before = '', rest = ''] = page.split(start)
    const [, after] = rest.split(end)
    if (after === undefined) throw new Error(`${file} has no place for the table.`)
    const { code } = await format(file, `${before}${start}\n\n${table}\n\n${end}${after}`, {})
    await expect(code).toMatchFileSnapshot(file)
  })

  it('has the figures and the excerpts of the guide', async () => {
    const page = await readFile(pathOf('docs/conformance.md'), 'utf8')
    const [advice = '', summary = ''] = [...page.matchAll(/^```text\n(.*?)^```$/gms)].map(
      ([, text = '']) => text,
    )
    const rewriting = await checkReceiver(makerOf(wrongReceivers['rewritten-json']))
    expect(renderTable(rewriting)).toContain(advice.trimEnd())
    const none = Object.fromEntries(abilities.map((ability) => [ability, undefined]))
    const alone = await checkReceiver((options) => makeReceiver(options), none)
    const withoutTime = (text: string) => text.replace(/ in [\d.]+ s$/m, '')
    expect(withoutTime(renderTable(alone))).toContain(withoutTime(summary))
    expect(page).toContain(`For each of ${checks.length} checks`)
    expect(page).toContain(`${rows.length} wrong receivers`)
  })
})

let mistakes: ReturnType<typeof askForMistakes> | undefined

/** The mistakes, with the checks that failed or warned in a run against each receiver. */
function findMistakes() {
  return (mistakes ??= askForMistakes())
}

async function askForMistakes() {
  const needs = await findNeeds()
  return await Promise.all(
    rows.map(async ([name, { fault }]) => {
      const report = await runAgainst(name)
      const [failed, warnings] = [namesOf(report, 'failed'), namesOf(report, 'warning')]
      // The check that needs the fewest options is enough to find it.
      const [least = []] = [...failed, ...warnings]
        .map((check) => needs.get(check) ?? [])
        .toSorted((one, other) => one.length - other.length)
      return { name, mistake: fault, failed, warnings, needs: least }
    }),
  )
}

function sayNeed(ability: string): string {
  return (
    { storedCount: 'a count', secondSecret: 'a second secret', restart: 'a restart' }[ability] ?? ''
  )
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url))
}

/** The options that each check needs. Finds them by runs that lack one option. */
async function findNeeds(): Promise<Map<string, string[]>> {
  const without = abilities.map(async (ability) => {
    const report = await checkReceiver((options) => makeReceiver(options), { [ability]: undefined })
    return namesOf(report, 'not_run').map((check) => ({ check, ability }))
  })
  const needs = new Map<string, string[]>()
  for (const { check, ability } of (await Promise.all(without)).flat()) {
    needs.set(check, [...(needs.get(check) ?? []), ability])
  }
  return needs
}

describe('a served receiver', () => {
  it('can be checked over HTTP alone', async () => {
    const child = serve('look-then-insert')
    const url = await child.nextLine()
    const counts = await child.nextLine()
    const storedCount = async (id: string) => Number(await (await fetch(counts + id)).text())
    const report = await checkUrl(url, { storedCount })
    expect(namesOf(report, 'failed')).toEqual(wrongReceivers['look-then-insert'].failed)
    child.kill('SIGKILL')
  })

  it('is explained if there is none with the name', async () => {
    const child = serve('constructor')
    await expect(child.nextLine()).rejects.toThrow('look-then-insert')
    expect(await child.ended).toBe(2)
  })
})
