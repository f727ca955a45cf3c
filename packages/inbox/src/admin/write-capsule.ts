import { withoutSecrets } from '@feed-receiver/core'
import { fill } from '../errors.ts'
import json from './capsule.json' with { type: 'json' }
import type { EntryDetails } from './get-entry.ts'
import { quote } from './literal.ts'
import type { History } from './read-history.ts'
import { writeVersion } from './write-version.ts'

/** The content of a capsule. */
export interface CapsuleFacts extends History {
  entry: EntryDetails
  /** When the handler was last started. */
  clock: string
  source: string
  handlers: string
  setup: string | undefined
}

/** The maximum length of all earlier versions, in characters. */
const maxBefore = 1_048_576
/** How many lines of the error and its stack are shown. */
const stackLines = 6

/** Writes the test file of one event. Foreign text is quoted, in comments too. */
export function writeCapsule(facts: CapsuleFacts): string {
  const { entry, version, clock, source, handlers, setup } = facts
  const before = writeBefore(facts)
  const isCut = facts.isCut || before.length < facts.before.length
  const error = entry.job?.lastError?.message
  const lines = [
    ...describe(facts, before.length, isCut),
    ...json.imports,
    `import { handlers } from ${quote(handlers)}`,
    ...(setup === undefined ? [] : [`import * as setup from ${quote(setup)}`]),
    '',
    `test(${quote(`handles ${version.eventId}`)}, { timeout: 60_000 }, async () => {`,
    '  await runCapsule({',
    ...(setup === undefined ? ownSetup : ['    ...setup,']),
    '    handlers,',
    `    clock: ${quote(clock)},`,
    ...(source === 'feed' ? [] : [`    source: ${quote(source)},`]),
    ...(error === undefined ? [] : [`    diedOf: ${quote(withoutSecrets(error))},`]),
    ...(before.length === 0 ? [] : ['    before: [', ...before, '    ],']),
    '    event: {',
    `      attempt: ${Math.max(entry.job?.attempts ?? 1, 1)},`,
    ...(entry.isReplay ? ['      replay: true,'] : []),
    ...writeVersion(version, 6, true),
    '    },',
    '  })',
    '})',
    '',
  ]
  return lines.join('\n')
}

const ownSetup = [
  '    async prepare(database) {',
  `      // ${json.prepare}`,
  `      await database.query('select 1')`,
  '    },',
  ...json.effects.split('\n').map((line) => `    // ${line}`),
  '    effects: {},',
]

/** Writes the earlier versions, oldest first. If they are too long, only the latest ones. */
function writeBefore({ before, version }: CapsuleFacts): string[] {
  const latestOf = new Map(before.map((one) => [one.eventId, one]))
  const written: string[] = []
  let room = maxBefore
  for (const one of before.toReversed()) {
    // The results of effects belong to the event, so they are written only once.
    const hasOutcomes = latestOf.get(one.eventId) === one && one.eventId !== version.eventId
    const members = writeVersion(one, 8, hasOutcomes)
    const text = [`      { // ${quote(one.eventId)}`, ...members, '      },'].join('\n')
    room -= text.length
    if (room < 0) break
    written.unshift(text)
  }
  return written
}

/** The comment at the head of the file. */
function describe(
  { entry, version, clock }: CapsuleFacts,
  countBefore: number,
  isCut: boolean,
): string[] {
  const { job, state, type, provider, title } = entry
  const stack = job?.lastError?.stack ?? ''
  const texts = [
    json.about,
    '',
    fill(json.event, { id: quote(version.eventId), type: quote(type), provider: quote(provider) }),
    fill(json.title, { title: quote(title) }),
    state === 'dead'
      ? fill(job ? json.dead : json.forgotten, { attempts: job?.attempts, at: clock })
      : fill(json.notDead, { state }),
    ...errorLines(entry).map((line, at) =>
      fill(at === 0 ? json.error : json.stack, { line: quote(withoutSecrets(line)) }),
    ),
    ...(countBefore > 0 ? [fill(json.before, { count: countBefore })] : []),
    ...(isCut ? [json.cut] : []),
    ...(/handle[\\/]effects\.[jt]s/.test(stack) ? ['', json.inEffect] : []),
    '',
    json.holds,
  ]
  return texts.flatMap((text) => text.split('\n')).map((line) => `// ${line}`.trimEnd())
}

/** The error and the beginning of its stack, whose first line usually contains the error. */
function errorLines({ job }: EntryDetails): string[] {
  if (!job?.lastError) return []
  const { message, stack } = job.lastError
  if (stack === null) return [message]
  const lines = stack.split('\n').slice(0, stackLines)
  return stack.includes(message) ? lines : [message, ...lines]
}
