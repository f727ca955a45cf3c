import { FeedReceiverError } from '@feed-receiver/core'
import { DatabaseError } from '@feed-receiver/database'
import { InboxError } from '@feed-receiver/inbox'
import { SenderError } from '@feed-receiver/sender'
import { CliError } from './errors.ts'

export interface DescribedError {
  code: string
  message: string
  exitCode: number
}

/** What to print of an error, and the exit code it leads to. */
export function describeError(error: unknown, signal: AbortSignal): DescribedError {
  if (signal.aborted) return { code: 'interrupted', message: 'Interrupted.', exitCode: 130 }
  if (error instanceof CliError) return describe(error, error.code === 'usage' ? 2 : 1)
  if (error instanceof DatabaseError) return describeDatabase(error)
  if (error instanceof SenderError) return describeSender(error)
  if (error instanceof FeedReceiverError) return describe(error, 2)
  if (error instanceof InboxError && error.code === 'not_migrated') {
    const [what = ''] = error.message.split(', and this inbox')
    return { code: error.code, message: `${what}. ${notMigrated}`, exitCode: 1 }
  }
  if (error instanceof InboxError) return describe(error, error.code === 'bad_option' ? 2 : 1)
  if (error instanceof RangeError) return { code: 'usage', message: error.message, exitCode: 2 }
  return { code: codeOf(error), message: `Unexpected: ${messageOf(error)}`, exitCode: 1 }
}

const notMigrated = 'Start the app once with this version, which brings its tables up to date.'

function describe({ code, message }: { code: string; message: string }, exitCode: number) {
  return { code, message, exitCode }
}

/** What the sender advises are options of a program; these are of a command line. */
function describeSender({ code, problem }: SenderError): DescribedError {
  const advice = adviceOn[code]
  return { code, message: advice === undefined ? problem : `${problem} ${advice}`, exitCode: 2 }
}

const adviceOn: Partial<Record<SenderError['code'], string>> = {
  invalid_event: 'Give one with --id <id>.',
  invalid_header: 'Give the event another id, as send does with --id <id>.',
  invalid_destination: 'Give the whole http or https URL of the receiver, without credentials.',
  blocked_address: 'Give the address of the receiver.',
}

function describeDatabase({ code, message }: DatabaseError): DescribedError {
  if (code.startsWith('bad_')) return { code, message, exitCode: 2 }
  return { code, message, exitCode: 1 }
}

function codeOf(error: unknown): string {
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return hasCode ? String(error.code) : 'unexpected'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
