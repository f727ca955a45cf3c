import { codeOf, isError } from '@feed-receiver/core/internal'
import { FeedReceiverError } from '@feed-receiver/core'
import { DatabaseError } from '@feed-receiver/database'
import { InboxError } from '@feed-receiver/inbox'
import { SenderError } from '@feed-receiver/sender/internal'
import { CliError, isNamed } from '../errors.ts'

/** The printed text of an error, and its exit code: 2 if the command was used wrongly. */
export function describeError(error: unknown, signal: AbortSignal) {
  if (signal.aborted) return { code: 'interrupted', message: 'Interrupted.', exitCode: 130 }
  if (error instanceof CliError) return withExitCode(error, error.code === 'usage')
  if (error instanceof DatabaseError) return withExitCode(error, error.code.startsWith('bad_'))
  if (error instanceof SenderError) return withExitCode(withFix(error), true)
  if (error instanceof FeedReceiverError) return withExitCode(error, true)
  if (error instanceof InboxError)
    return withExitCode(withNextStep(error), error.code === 'bad_option')
  const message = isError(error) ? error.message : String(error)
  const code = codeOf(error) ?? 'unexpected'
  if (isNamed(error, 'OperateError') || isNamed(error, 'ShardError'))
    return withExitCode({ code, message }, code === 'bad_option')
  return withExitCode({ code, message: `Unexpected: ${message}` }, false)
}

function withExitCode({ code, message }: { code: string; message: string }, isMistake: boolean) {
  return { code, message, exitCode: isMistake ? 2 : 1 }
}

/** The fix of the sender names options of a program. This names those of the command line. */
function withFix({ code, problem }: SenderError): { code: string; message: string } {
  const fix = senderFixes[code]
  return { code, message: fix === undefined ? problem : `${problem} ${fix}` }
}

const senderFixes: Partial<Record<SenderError['code'], string>> = {
  invalid_event: 'Set an id with --id <id>.',
  invalid_header: 'Give the event another id, for example with send --id <id>.',
  invalid_destination: 'Use the full http or https URL of the receiver, without credentials.',
  blocked_address: 'Use the address of the receiver.',
}

function withNextStep({ code, message }: InboxError): { code: string; message: string } {
  if (code === 'not_migrated') {
    const [, name] = /of the extension (\w+)/.exec(message) ?? []
    const next =
      name === undefined
        ? 'The tables of this inbox are older than this command. Start the app once with this version, because that migrates them.'
        : `This inbox lacks tables of the extension ${name}. Add it to the app as the README of @feed-receiver/operate shows, and start the app once.`
    return { code, message: next }
  }
  // A test of `inbox pause` reads the text of the inbox.
  if (code === 'unknown_type') return { code, message: message.replace('set force', 'add --force') }
  return { code, message }
}
