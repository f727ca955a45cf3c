import { renderJunit } from '../conformance/check/render-junit.ts'
import { renderTable } from '../conformance/check/render-table.ts'
import { runChecks } from '../conformance/check/run-checks.ts'
import type { CheckReport, RunChecksOptions } from '../conformance/check/run-checks.ts'
import { defineCommand, type Context } from '../command.ts'
import { UsageError } from '../errors.ts'
import { confirm } from '../options/confirm.ts'
import { inboxOptions, openChosen, withShards } from '../options/inbox-options.ts'
import { flag, text, type Values } from '../options/option.ts'
import { readSecret, readVariable, secretOptions } from '../options/secret-options.ts'
import { isLocal, parseUrl } from '../options/values.ts'
import { describeError } from '../output/describe-error.ts'
import { rejectExisting, writeOutput } from '../output/output-file.ts'
import { readShell, runShell } from '../process-group.ts'

const storeOptions = {
  ...inboxOptions,
  database: text(
    '--database <url|folder>',
    'database of the inbox, to check what is stored (DATABASE_URL)',
  ),
  countSql: text('--count-sql <sql>', 'query of your own tables: select count(*) … where id = $1'),
  countCommand: text(
    '--count-command <command>',
    'command that prints how often $FEED_EVENT_ID is stored',
  ),
}

export const check = defineCommand({
  options: {
    ...secretOptions,
    secondSecretEnv: text(
      '--second-secret-env <NAME>',
      'variable with a second secret of the receiver',
    ),
    restartCommand: text(
      '--restart-command <command>',
      'command that restarts the receiver within 60 s',
    ),
    ...storeOptions,
    junit: text('--junit <file>', 'file for a JUnit XML report, for CI'),
    force: flag('--force', 'overwrite an existing file'),
    yes: flag('-y, --yes', 'skip the confirmation; required without a terminal'),
  },
  notes: `
    The command sends about 200 signed, malformed and forged deliveries, whose ids begin with
    check_. Nearly all have the type destination_test. A few need other types, and say that they are
    checks. A check that is not enabled shows "not run" and does not affect the score.

    If a framework, a proxy or a login answers instead of the receiver, the output names it, how to
    fix it, and the page of the guides.

    Exit code 1 means that a check failed or could not run.
  `,
  examples: [
    'feed-receiver check http://localhost:3000/webhooks/feed',
    "feed-receiver check http://localhost:3000/feed --restart-command 'systemctl restart receiver'",
    'feed-receiver check http://localhost:3000/feed --junit check.xml',
  ],
  async run({ operands: [address = ''], options }, context) {
    const { out, signal } = context
    const url = parseUrl(address, 'The address of the receiver')
    const { junit, force = false } = options
    rejectExisting('--junit', junit, force)
    const secret = readSecret(options, context)
    const { secondSecretEnv: second, restartCommand: command } = options
    const secondSecret = second === undefined ? undefined : readVariable(second, context)
    const question = `Send about 200 test deliveries to ${url.host}?`
    const confirmed = () => confirm(question, options.yes, context, 'Nothing was sent.')
    if (!isLocal(url) && !(await confirmed())) return 1

    return await withStoredCount(options, context, async (storedCount) => {
      let done = 0
      const report = await runChecks({
        url,
        secret,
        secondSecret,
        restart: command === undefined ? undefined : (ending) => runShell(command, ending),
        storedCount,
        signal,
        onResult: ({ name }) => out.progress(`${(done += 1)} checks done, the last is ${name}`),
      })
      out.result(report, renderTable(report).trimEnd())
      if (junit !== undefined) {
        // A reason that the database or a command gives may contain a secret.
        const shown: CheckReport = JSON.parse(out.clean(JSON.stringify(report)))
        await writeOutput(junit, renderJunit(shown), force)
        out.line(`${junit} is written.`)
      }
      return report.hasPassed ? 0 : 1
    })
  },
})

type StoredCount = NonNullable<RunChecksOptions['storedCount']>

/** Passes `work` a function that counts stored events, if the options say how. */
export async function withStoredCount<Result>(
  options: Values<typeof storeOptions>,
  context: Context,
  work: (storedCount: StoredCount | undefined) => Promise<Result>,
): Promise<Result> {
  const { countSql, countCommand } = options
  if (countCommand !== undefined) {
    if ((options.database ?? countSql) !== undefined)
      throw new UsageError('--count-command excludes --database and --count-sql. Leave them out.')
    return await work((eventId) => countByCommand(countCommand, eventId, context))
  }
  // An empty variable counts as missing.
  const target = options.database ?? (context.env['DATABASE_URL'] || undefined)
  if (target === undefined) {
    if (countSql === undefined) return await work(undefined)
    throw new UsageError(
      '--count-sql needs a database to query. Add --database <url|folder>, or set DATABASE_URL.',
    )
  }
  if (countSql === undefined) return await countInInbox(options, context, work)
  await using database = openChosen(options, context)
  return await work(async (eventId) => {
    const { rows } = await database.query(countSql, [eventId])
    return Number(Object.values(rows[0] ?? {})[0] ?? 0)
  })
}

const commandLimitMs = 15_000

/** The number that the user's command prints. The id is a variable: nothing needs quoting. */
async function countByCommand(
  command: string,
  eventId: string,
  { signal: outer }: Context,
): Promise<number> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(commandLimitMs)])
  const printed = await readShell(command, { variables: { FEED_EVENT_ID: eventId }, signal })
  if (/^\s*\d+\s*$/.test(printed)) return Number(printed)
  throw new Error('the command must print one whole number and nothing else')
}

/** Counts nothing if `DATABASE_URL` has no inbox. The app may store its events in another way. */
async function countInInbox<Result>(
  options: Values<typeof storeOptions>,
  context: Context,
  work: (storedCount: StoredCount | undefined) => Promise<Result>,
): Promise<Result> {
  let isOpen = false
  try {
    return await withShards(options, context, ({ shards }) => {
      isOpen = true
      return work(async (eventId) => {
        const found = await Promise.all(shards.map(({ entries }) => entries.get(eventId)))
        return found.filter((entry) => entry !== null).length
      })
    })
  } catch (error) {
    if (isOpen || options.database !== undefined) throw error
    const { message } = describeError(error, context.signal)
    context.out.note(`Stored events are not counted in DATABASE_URL. ${message}`)
    return await work(undefined)
  }
}
