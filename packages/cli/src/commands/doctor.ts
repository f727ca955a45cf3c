import { DatabaseError } from '@feed-receiver/database'
import { defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { checkAddress } from '../doctor/check-address.ts'
import { checkInbox } from '../doctor/check-inbox.ts'
import { checkReceiver, type Probe } from '../doctor/check-receiver.ts'
import { checkSecret } from '../doctor/check-secret.ts'
import { failed, skipped, type Finding } from '../doctor/finding.ts'
import { CliError } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parsed, type Values } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseUrl } from '../options/values.ts'
import { describeError } from '../output/describe-error.ts'

const doctorOptions = {
  url: parsed('--url <url>', 'address of the receiver, to deliver tests to it', parseUrl),
  ...secretOptions,
  ...inboxOptions,
}

type DoctorValues = Values<typeof doctorOptions>

/** How an installation is. */
export const doctor = defineCommand({
  options: doctorOptions,
  notes: [
    'With --url it delivers events of the type destination_test, which reach no handler: a signed one,\n' +
      'the same again, one in another spelling of JSON, a forged one and a late one. Exit code 1 means\n' +
      'that a check has failed; warnings do not count.',
  ],
  examples: ['feed-receiver doctor --url http://localhost:3000/webhooks/feed'],
  async run({ options }, context) {
    const findings: Finding[] = []
    for await (const finding of examine(options, context)) {
      findings.push(finding)
      printFinding(finding, context)
    }
    const isWell = findings.every(({ verdict }) => verdict !== 'failed')
    context.out.json({ ok: isWell, findings })
    if (context.signal.aborted) return 130
    return isWell ? 0 : 1
  },
})

async function* examine(options: DoctorValues, context: Context): AsyncGenerator<Finding> {
  const { url } = options
  const { secret, finding } = lookForSecret(options, context)
  yield finding
  let probe: Probe | undefined
  if (!url) {
    yield skipped('receiver', 'Nothing was delivered.', 'Give its address with --url.')
  } else {
    yield await checkAddress(url)
    if (secret !== undefined) {
      const { signal } = context
      yield* checkReceiver({ url, secret, signal }, (stored) => (probe = stored))
    }
  }
  yield* await examineInbox(options, context, probe)
}

function lookForSecret(options: DoctorValues, context: Context) {
  try {
    const secret = readSecret(options, context)
    const finding = checkSecret(secret)
    return { secret: finding.verdict === 'ok' ? secret : undefined, finding }
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'usage') throw error
    const finding = failed('secret', error.message, 'Without it no delivery can be checked.')
    return { secret: undefined, finding }
  }
}

// Findings are collected, since the inbox is only open within the call.
async function examineInbox(
  options: DoctorValues,
  context: Context,
  probe: Probe | undefined,
): Promise<Finding[]> {
  const { signal } = context
  try {
    return await withInbox(options, context, async (inbox, database) => {
      const findings: Finding[] = []
      for await (const finding of checkInbox({ inbox, database, probe, signal })) {
        findings.push(finding)
      }
      return findings
    })
  } catch (error) {
    const { message, code } = describeError(error, signal)
    const isHeld = error instanceof DatabaseError && code === 'locked'
    if (isHeld) return [skipped('database', message, 'Or look again while the app is stopped.')]
    if (code === 'no_inbox') return [skipped('database', message, 'Or the app has no inbox.')]
    return [failed('database', message, 'Without it nothing is stored.')]
  }
}

function printFinding({ check, verdict, says, fix }: Finding, { out }: Context): void {
  out.line(`${verdict.padEnd(8)} ${check.padEnd(14)}  ${says}`)
  if (fix !== undefined) out.line(`${' '.repeat(25)}${fix}`)
}
