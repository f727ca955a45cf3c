import { parseArgs } from 'node:util'
import { parts } from './parts/index.ts'
import type { Part } from './part.ts'

export interface ProveOptions {
  seed: number
  isQuick: boolean
  /** Whether the report becomes the Proof page of the documentation. */
  isPublished: boolean
  /** Undefined for all of them, or all that a continued report lacks. */
  parts: readonly Part[] | undefined
  folder: string | undefined
  /** The folder of a report to continue. */
  resumed: string | undefined
}

/** Reads the command line, or throws a sentence about the mistake in it. */
export function readOptions(args: string[]): ProveOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      quick: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
      only: { type: 'string' },
      output: { type: 'string' },
      resume: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const fixed = ['seed', 'quick', 'output'] as const
  const excluded = values.resume !== undefined && fixed.find((name) => values[name])
  if (excluded) throw new Error(`--resume excludes --${excluded}. The report has its own.`)
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`--seed must be a whole number, not ${values.seed}.`)
  }
  return {
    seed,
    isQuick: values.quick,
    isPublished: values.publish,
    parts: values.only === undefined ? undefined : chooseParts(values.only),
    folder: values.output,
    resumed: values.resume,
  }
}

function chooseParts(only: string): readonly Part[] {
  const names = only.split(',')
  const unknown = names.find((name) => parts.every((part) => part.name !== name))
  if (unknown === undefined) return parts.filter(({ name }) => names.includes(name))
  const list = parts.map(({ name }) => name).join(', ')
  throw new Error(`There is no chapter ${unknown}. Use one of ${list}.`)
}

export function usage(): string {
  const width = Math.max(...parts.map(({ name }) => name.length))
  return [
    'npm run prove -- [--seed S] [--quick] [--only part,…] [--output folder] [--publish]',
    'npm run prove -- --resume folder [--only part,…] [--publish]',
    '',
    'Runs the evidence on this machine, and writes a report with its commands, versions and logs.',
    'It takes up to an hour.',
    '',
    '  --seed S         plans the same faults again; drawn and printed unless it is given',
    '  --quick          takes ten minutes: fewer events, faults and rounds',
    '  --only part,…    only these chapters',
    '  --output folder  where the report goes (proof/ and the date); it must not exist',
    '  --resume folder  continues the report in a folder: runs the chapters that it lacks, or those',
    '                   of --only again, and says so in them',
    '  --publish        also makes the report the Proof page, docs/proof.md',
    '',
    ...parts.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`),
    '',
    'Exit code: 0 if this kit holds everything, 1 if it does not, 2 for a wrong option.',
  ].join('\n')
}
