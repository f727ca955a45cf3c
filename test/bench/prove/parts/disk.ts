import type { RunResult } from '../../../chaos/faults/run-faults.ts'
import { mayMount } from '../../../support/small-disk.ts'
import { countsTable, faultsProgram, faultsTable } from '../fault-results.ts'
import type { Part, PartContext, Section } from '../part.ts'
import { readJson } from '../run-logged.ts'

export const diskPart: Part = {
  name: 'disk',
  title: 'A full disk',
  intro:
    'The disk of PostgreSQL, and that of the embedded database, has no space left under load, and then has some again.',
  async run(context) {
    const sections = [
      await onPostgres(context),
      context.isQuick
        ? notRun('The embedded database: only in a whole run.')
        : await embedded(context),
    ]
    const isWhole = sections.every(({ data }) => data !== null)
    return {
      problems: sections.flatMap(({ problems }) => problems),
      verdict: isWhole ? 'holds' : 'holds on one of the two; see below',
      body: sections.map(({ body }) => body).join('\n\n'),
      data: sections.map(({ data }) => data),
    }
  },
}

async function onPostgres({ seed, run }: PartContext): Promise<Section> {
  if (!mayMount()) {
    return notRun('PostgreSQL: not run, because this process may not mount a small file system.')
  }
  const options = ['--seed', `${seed}`, '--events', '500', '--fault', 'disk-full']
  const result = readJson<RunResult>(
    await run('disk-postgres', [faultsProgram, '--json', ...options]),
  )
  const body = [countsTable([['PostgreSQL', result]]), faultsTable(result.strikes)].join('\n\n')
  return { problems: result.problems, body, data: result }
}

function notRun(body: string): Section {
  return { problems: [], body, data: null }
}

interface VitestResult {
  numPassedTests: number
  numTotalTests: number
}

async function embedded({ run }: PartContext): Promise<Section> {
  const options = ['run', '--project=kills', 'disk-full', '--reporter=json']
  const command = await run('disk-embedded', ['node_modules/vitest/vitest.mjs', ...options])
  const { numPassedTests: passed, numTotalTests: total } = readJson<VitestResult>(command)
  const isGood = command.exitCode === 0 && total > 0 && passed === total
  const outcome = isGood
    ? 'Deliveries were answered with 503 while it was full, and everything that was accepted was handled afterwards.'
    : 'The log has what failed.'
  return {
    problems: isGood ? [] : [`The embedded database: ${passed} of ${total} tests passed.`],
    body: `The embedded database is filled three times while it receives, asked to end while it is full, and started again: ${passed} of ${total} tests passed. ${outcome}`,
    data: { passed, total },
  }
}
