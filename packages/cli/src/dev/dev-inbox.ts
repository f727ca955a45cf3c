import { isError } from '@feed-receiver/core/internal'
import { setTimeout as delay } from 'node:timers/promises'
import type { Console } from '@feed-receiver/console'
import type { Inbox } from '@feed-receiver/inbox'
import type { Context } from '../command.ts'
import { CliError } from '../errors.ts'
import { makeConsole } from '../make-console.ts'
import { type inboxOptions, withInbox } from '../options/inbox-options.ts'
import { createAlertReader, type AlertReader } from '../read-alerts.ts'
import type { Values } from '../options/option.ts'
import { chooseType } from './choose-type.ts'
import type { HandlerRun } from './lines.ts'
import { watchRuns } from './watch-runs.ts'

/** The interval of attempts to open an inbox that is missing or was lost. */
const againMs = 1_000

interface DevInboxOptions {
  options: Values<typeof inboxOptions>
  onRun: (run: HandlerRun) => void
}

/** The inbox of an app that may not exist yet, and may disappear and return. */
export interface DevInbox extends AsyncDisposable {
  /** Its console, which allows actions. While there is no inbox, it answers 503 with the reason. */
  answer: Console
  /** A type of event that the app is likely to handle. */
  handledType(): Promise<string>
  /** Retries failing entries now, and returns their number: 0 without an inbox. */
  retryFailing(): Promise<number>
}

export function openDevInbox({ options, onRun }: DevInboxOptions, context: Context): DevInbox {
  const { out, env } = context
  const name = env['USER'] ?? 'developer'
  const since = new Date()
  const reported = new Map<string, string>()
  let shown: Console | undefined
  let opened: Inbox | undefined
  let wasOpen = false
  let warnedOf = ''
  let missing = 'The app has no inbox yet. It appears here once the app has started.'

  const closing = new AbortController()
  const signal = AbortSignal.any([context.signal, closing.signal])
  const ended = keepOpen()

  return {
    answer,
    async handledType() {
      const { entries = [] } = (await opened?.entries.list({ limit: 50 })) ?? {}
      return chooseType(entries)
    },
    async retryFailing() {
      if (!opened) return 0
      return await opened.entries.retry({ filter: { state: 'failing' } }, { by: name })
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await ended
    },
  }

  async function answer(request: Request): Promise<Response> {
    if (shown) return await shown(request)
    return Response.json({ error: missing, code: 'no_inbox' }, { status: 503 })
  }

  async function keepOpen(): Promise<void> {
    while (!signal.aborted) {
      const reader = createAlertReader()
      const work = async (inbox: Inbox) => {
        opened = inbox
        wasOpen = true
        await watch(inbox, reader)
      }
      await withInbox(options, context, work, [reader.extension]).catch((error: unknown) => {
        const reason = isError(error) ? error.message : String(error)
        const isSecondTime = reason === missing
        missing = reason
        // Later an app restarts, or it was lost for a moment.
        if (wasOpen || !isSecondTime || reason === warnedOf || isStartOf(error)) return
        warnedOf = reason
        out.warn(error)
      })
      shown = undefined
      opened = undefined
      await delay(againMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Whether an app that has never run explains the error. Whoever names a database expects one. */
  function isStartOf(error: unknown): boolean {
    const isMissing =
      error instanceof CliError && (error.code === 'no_inbox' || error.code === 'not_migrated')
    return isMissing && options.database === undefined
  }

  async function watch(inbox: Inbox, reader: AlertReader): Promise<void> {
    // A request that gets here already has the session of the page.
    const authorize = () => ({ name })
    shown = await makeConsole(inbox, reader, { readOnly: false, authorize, onError: out.warn })
    await watchRuns(inbox, { onRun, since, reported, signal })
  }
}
