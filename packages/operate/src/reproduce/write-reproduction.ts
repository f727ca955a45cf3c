import { withoutSecrets } from '@feed-receiver/core/internal'
import type { EntryDetails } from '@feed-receiver/inbox'
import { keyOf, literalOf, literalOfBytes, quote } from './literal.ts'
import type { History, Version } from './read-history.ts'

/** The content of the test file of one event. */
export interface Reproduction extends History {
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

/** Writes the test file of one event. Untrusted text is quoted, in comments too. */
export function writeReproduction(reproduction: Reproduction): string {
  const { entry, version, clock, source, handlers, setup } = reproduction
  const before = writeBefore(reproduction)
  const isCut = reproduction.isCut || before.length < reproduction.before.length
  const error = entry.job?.lastError?.message
  return linesOf(
    ...describe(reproduction, before.length, isCut),
    `import { runReproduction } from ${quote('@feed-receiver/operate/rehearse')}`,
    `import { test } from ${quote('vitest')}`,
    `import { handlers } from ${quote(handlers)}`,
    setup !== undefined && `import * as setup from ${quote(setup)}`,
    '',
    `test(${quote(`handles ${version.eventId}`)}, { timeout: 60_000 }, async () => {`,
    '  await runReproduction({',
    ...(setup === undefined ? ownSetup : ['    ...setup,']),
    '    handlers,',
    `    clock: ${quote(clock)},`,
    source !== 'feed' && `    source: ${quote(source)},`,
    error !== undefined && `    diedOf: ${quote(withoutSecrets(error))},`,
    ...(before.length === 0 ? [] : ['    before: [', ...before, '    ],']),
    '    event: {',
    `      attempt: ${Math.max(entry.job?.attempts ?? 1, 1)},`,
    entry.isReprocessed && '      reprocess: true,',
    ...writeVersion(version, 6, true),
    '    },',
    '  })',
    '})',
    '',
  ).join('\n')
}

/** The lines that are not left out. */
function linesOf(...lines: (string | false)[]): string[] {
  return lines.filter((line) => line !== false)
}

const ownSetup = [
  '    async prepare(database) {',
  '      // REPLACE THIS: create the tables that your handlers use, and the rows that they expect.',
  `      await database.query('select 1')`,
  '    },',
  '    // Effects are not run. An effect without a result in `done` returns undefined, or the result of a',
  `    // function under its key here, such as: page: () => ({ pageId: 'page-1' })`,
  '    effects: {},',
]

/** Writes the earlier versions, oldest first. If they are too long, only the latest ones. */
function writeBefore({ before, version }: Reproduction): string[] {
  const latestOf = new Map(before.map((one) => [one.eventId, one]))
  const written: string[] = []
  let room = maxBefore
  for (const one of before.toReversed()) {
    // The results of effects belong to the event, so they are written only once.
    const hasResults = latestOf.get(one.eventId) === one && one.eventId !== version.eventId
    const members = writeVersion(one, 8, hasResults)
    const text = [`      { // ${quote(one.eventId)}`, ...members, '      },'].join('\n')
    room -= text.length
    if (room < 0) break
    written.unshift(text)
  }
  return written
}

/** The comment at the head of the file. */
function describe(
  { entry, version, clock }: Reproduction,
  countBefore: number,
  isCut: boolean,
): string[] {
  const { job, type, provider, title } = entry
  const stack = job?.lastError?.stack ?? ''
  const texts = linesOf(
    'An event of an inbox as a test. It fails as the handler failed, until you fix the handler.',
    '',
    `Event:  ${quote(version.eventId)}, ${quote(type)} of ${quote(provider)}`,
    `Title:  ${quote(title)}`,
    describeState(entry, clock),
    ...errorLines(entry).map(
      (line, at) => `${at === 0 ? 'Error: ' : '       '} ${quote(withoutSecrets(line))}`,
    ),
    countBefore > 0 &&
      `Before: handled versions of this event and of others about its subject, ${countBefore} in all.`,
    isCut &&
      '        Older events about its subject are left out, because there are too many or they are too large.',
    ...(/handle[\\/]effects\.[jt]s/.test(stack) ? ['', ...inEffect] : []),
    '',
    'This file contains the content of the events, the results of their effects and the error, but no',
    'header and no secret of the feed. Read it before you share it.',
  )
  return texts.map((line) => `// ${line}`.trimEnd())
}

const inEffect = [
  'The error came from effects.once. Effects are not run here: to reproduce it, add the key of the',
  'effect that failed to `effects`, with a function that throws.',
]

function describeState({ job, state }: EntryDetails, at: string): string {
  if (state !== 'dead') {
    return `State:  ${state}. The event is not dead, so this test may pass already.`
  }
  return job
    ? `State:  dead. The last attempt, number ${job.attempts}, began at ${at}.`
    : `State:  dead since ${at}. The queue has deleted its job, and the error with it.`
}

/** The error and the beginning of its stack, whose first line usually contains the error. */
function errorLines({ job }: EntryDetails): string[] {
  if (!job?.lastError) return []
  const { message, stack } = job.lastError
  if (stack === null) return [message]
  const lines = stack.split('\n').slice(0, stackLines)
  return stack.includes(message) ? lines : [message, ...lines]
}

/** How much of the text of a body a comment shows, in characters. */
const maxComment = 4_000

/**
 * Writes the members of a version, one or more lines each. `hasResults` says whether to include
 * the results of its effects.
 */
function writeVersion(version: Version, indent: number, hasResults: boolean): string[] {
  const { at, receivedAt, via, change, revision, body, pull, isCertain, results } = version
  const members = linesOf(
    !isCertain && '// It may never have been handled, so the test continues if its handler throws.',
    !isCertain && 'isCertain: false,',
    `at: ${quote(at.toISOString())},`,
    receivedAt.getTime() !== at.getTime() && `receivedAt: ${quote(receivedAt.toISOString())},`,
    `via: ${quote(via)}, change: ${quote(change)}, revision: ${revision},`,
    ...(body === null ? [] : writeBody(body, indent)),
    pull !== null && `pulled: ${literalOf(pull, indent)},`,
    hasResults && results.size > 0 && writeResults(results, indent),
  )
  return members.map((member) => `${' '.repeat(indent)}${member}`)
}

function writeBody(body: Uint8Array, indent: number): string[] {
  const written = literalOfBytes(body, indent)
  if ('json' in written) return [`signed: ${written.json},`]
  const text = Buffer.from(body).toString()
  const more = text.length > maxComment ? ' …' : ''
  return [`// ${quote(text.slice(0, maxComment))}${more}`, `signedBase64: ${written.base64},`]
}

function writeResults(results: Version['results'], indent: number): string {
  const pad = ' '.repeat(indent + 2)
  const members = Array.from(results, ([key, result]) => {
    return `${pad}${keyOf(key)}: ${literalOf(result, indent + 2)},`
  })
  return ['done: {', ...members, `${' '.repeat(indent)}},`].join('\n')
}
