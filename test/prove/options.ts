import { parseArgs } from 'node:util'
import { parts } from './parts/index.ts'
import type { Part } from './part.ts'

export interface ProveOptions {
  seed: number
  isQuick: boolean
  /** Whether the report becomes the Proof page of the documentation. */
  isPublished: boolean
  parts: readonly Part[]
  folder: string | undefined
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
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`--seed must be a whole number, not ${values.seed}.`)
  }
  return {
    seed,
    isQuick: values.quick,
    isPublished: values.publish,
    parts: chooseParts(values.only),
    folder: values.output,
  }
}

function chooseParts(only: string | undefined): readonly Part[] {
  if (only === undefined) return parts
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
    '',
    'Runs the evidence on this machine, and writes a report with its commands, versions and logs.',
    'It takes up to an hour.',
    '',
    '  --seed S         plans the same faults again; drawn and printed unless it is given',
    '  --quick          takes ten minutes: fewer events, faults and rounds',
    '  --only part,…    only these chapters',
    '  --output folder  where the report goes (proof/ and the date); it must not exist',
    '  --publish        also makes the report the Proof page, docs/proof.md',
    '',
    ...parts.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`),
    '',
    'Exit code: 0 if this kit holds everything, 1 if it does not, 2 for a wrong option.',
  ].join('\n')
}
