import { spawn, type ChildProcess } from 'node:child_process'
import { openDatabase } from '@feed-receiver/database'
import { renderTable } from '../check/render-table.ts'
import { runChecks, type RunChecksOptions } from '../check/run-checks.ts'
import { defineCommand, type Context } from '../command.ts'
import { problem } from '../errors.ts'
import { confirm } from '../options/confirm.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, text, type Values } from '../options/option.ts'
import { readSecret, readVariable, secretOptions } from '../options/secret-options.ts'
import { isLocal, parseUrl } from '../options/values.ts'
import { describeError } from '../output/describe-error.ts'

/** Where a receiver stores its events. */
const storeOptions = { ...inboxOptions, database: text, countSql: text }

export const check = defineCommand('check', {
  options: {
    ...secretOptions,
    secondSecretEnv: text,
    restartCommand: text,
    ...storeOptions,
    yes: flag,
  },
  async run({ operands: [address = ''], options }, context) {
    const { out, signal } = context
    const url = parseUrl(address, 'The address of the receiver')
    const secret = readSecret(options, context)
    const { secondSecretEnv: second, restartCommand: command } = options
    const secondSecret = second === undefined ? undefined : readVariable(second, context)
    const question = `Send about 200 test deliveries to ${url.host}?`
    if (!isLocal(url) && !(await confirm(question, options.yes, context))) {
      out.note('Nothing was sent.')
      return 1
    }

    return await withStoredCount(options, context, async (storedCount) => {
      let done = 0
      const report = await runChecks({
        url,
        secret,
        secondSecret,
        restart: command === undefined ? undefined : (ending) => runShell(command, ending),
        storedCount,
        signal,
        onResult: ({ name }) => out.progress(`${(done += 1)} checks done, ${name} last`),
      })
      out.result(report, renderTable(report).trimEnd())
      return report.hasPassed ? 0 : 1
    })
  },
})

/** Passes `work` a function that counts stored events, if the options name a database. */
async function withStoredCount<Result>(
  options: Values<typeof storeOptions>,
  context: Context,
  work: (storedCount: RunChecksOptions['storedCount']) => Promise<Result>,
): Promise<Result> {
  const { countSql } = options
  // An empty variable counts as missing.
  const target = options.database ?? (context.env['DATABASE_URL'] || undefined)
  if (target === undefined) {
    if (countSql === undefined) return await work(undefined)
    throw problem('usage', 'count_without_database')
  }
  if (countSql === undefined) {
    const isNamed = options.database !== undefined
    if (!isNamed && !(await hasInbox(options, context))) return await work(undefined)
    return await withInbox(options, context, ({ entries }) =>
      work(async (eventId) => ((await entries.get(eventId)) === null ? 0 : 1)),
    )
  }
  context.out.hide(target)
  await using database = openDatabase(target, {
    isGuest: true,
    applicationName: 'feed-receiver cli',
  })
  return await work(async (eventId) => {
    const { rows } = await database.query(countSql, [eventId])
    return Number(Object.values(rows[0] ?? {})[0] ?? 0)
  })
}

/** Whether `DATABASE_URL` contains an inbox. The app may store its events in another way. */
async function hasInbox(options: Values<typeof inboxOptions>, context: Context): Promise<boolean> {
  try {
    return await withInbox(options, context, () => Promise.resolve(true))
  } catch (error) {
    const { message } = describeError(error, context.signal)
    context.out.note(`Nothing is counted in DATABASE_URL: ${message}`)
    return false
  }
}

/** Runs the user's command. Rejects if it fails, and stops it when the signal aborts. */
export async function runShell(command: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  // In its own process group, so that the children of the shell stop with it.
  const child = spawn(command, { shell: true, stdio: 'ignore', detached: isPosix })
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop)
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, killedBy) => {
        if (code === 0) resolve()
        else reject(new Error(`the command ended with ${code ?? killedBy ?? 'no exit code'}`))
      })
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const isPosix = process.platform !== 'win32'

function endGroup(child: ChildProcess): void {
  // A process that ignores the signal must not delay the exit of this one.
  child.unref()
  if (!isPosix || child.pid === undefined) return void child.kill()
  try {
    process.kill(-child.pid, 'SIGTERM')
  } catch {
    // It has ended already.
  }
}
