import { fingerprintOf } from '@feed-receiver/core'
import { codeOf } from '@feed-receiver/core/internal'
import { DatabaseError } from '@feed-receiver/database'
import { createSender } from '@feed-receiver/sender'
import { SenderError } from '@feed-receiver/sender/internal'
import { defineCommand, type Context } from '../command.ts'
import { diagnoseAddress, diagnoseReceiver, type Probe } from '../doctor/diagnose-receiver.ts'
import { diagnoseInbox, diagnoseRejections, warnOfUnread } from '../doctor/diagnose-inbox.ts'
import { failed, ok, skipped, type Finding } from '../doctor/finding.ts'
import { CliError, UsageError } from '../errors.ts'
import { inboxOptions, withShards, type CommandExtension } from '../options/inbox-options.ts'
import { parsed, type Values } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseUrl } from '../options/values.ts'
import { describeError } from '../output/describe-error.ts'
import { createAlertReader } from '../read-alerts.ts'

const doctorOptions = {
  url: parsed('--url <url>', 'URL of the receiver, for test deliveries', parseUrl),
  ...secretOptions,
  ...inboxOptions,
}

export const doctor = defineCommand({
  options: doctorOptions,
  notes: `
    With --url, doctor delivers events of the type destination_test, which reach no handler: a
    signed one, a duplicate of it, one in another JSON formatting, a forged one and a late one. Exit
    code 1 means that a check failed. Warnings do not count.

    If a framework, a proxy or a login answers instead of the receiver, the output names it, how to
    fix it, and the page of the guides.
  `,
  examples: ['feed-receiver doctor --url http://localhost:3000/webhooks/feed'],
  async run({ options }, context) {
    const { out, signal } = context
    const findings: Finding[] = []
    await diagnose(options, context, (finding) => {
      findings.push(finding)
      const { check, verdict, says, fix } = finding
      out.line(`${verdict.padEnd(8)} ${check.padEnd(14)}  ${says}`)
      if (fix !== undefined) out.line(`${' '.repeat(25)}${fix}`)
    })
    const isWell = findings.every(({ verdict }) => verdict !== 'failed')
    out.json({ ok: isWell, findings })
    if (signal.aborted) return 130
    return isWell ? 0 : 1
  },
})

type Report = (finding: Finding) => void

async function diagnose(
  options: Values<typeof doctorOptions>,
  context: Context,
  report: Report,
): Promise<void> {
  const { url } = options
  const { signal } = context
  const secret = diagnoseSecret(options, context, report)
  // Before the test deliveries, because some of them are rejected.
  const before = await readRejections(options, context)
  for (const finding of before.findings) report(finding)
  let probe: Probe | undefined
  if (!url) {
    const fix = 'Set the address of the receiver with --url.'
    report(skipped('receiver', 'No test delivery was sent.', fix))
  } else {
    report(await diagnoseAddress(url))
    if (secret !== undefined) {
      const receiver = diagnoseReceiver({ url, secret, signal }, (stored) => (probe = stored))
      for await (const finding of receiver) report(finding)
    }
  }
  try {
    await withShards(options, context, async (open) => {
      const found = diagnoseInbox({ ...open, alerts: before.alerts, probe, signal })
      for await (const finding of found) report(finding)
    })
  } catch (error) {
    report(explainFailure(error, signal))
  }
}

async function readRejections(options: Values<typeof doctorOptions>, context: Context) {
  const { signal } = context
  const reader = createAlertReader()
  const check = (extensions: CommandExtension[]) =>
    withShards(options, context, (open) => diagnoseRejections(open, reader, signal), extensions)
  try {
    return await check([reader.extension])
  } catch (error) {
    // Any other error, and that of an inbox that does not open without alerts either, comes again
    // when the inbox is checked.
    const isOfTables = ['damaged_tables', 'unfit_database'].includes(codeOf(error) ?? '')
    const found = isOfTables && (await check([]).catch(() => undefined))
    if (!found) return { findings: [], alerts: [] }
    return { ...found, findings: [...found.findings, warnOfUnread('alerts', error, signal)] }
  }
}

function diagnoseSecret(
  options: Values<typeof doctorOptions>,
  context: Context,
  report: Report,
): string | undefined {
  try {
    const secret = readSecret(options, context)
    createSender({ secret })
    const fingerprint = fingerprintOf(secret)
    report(
      ok('secret', `The secret has the form of a signing secret (fingerprint ${fingerprint}).`),
    )
    return secret
  } catch (error) {
    if (error instanceof SenderError) {
      report(failed('secret', error.problem, 'Copy it again from the service.'))
    } else if (error instanceof CliError && !(error instanceof UsageError)) {
      const fix = 'Set it: no delivery can be verified without it.'
      report(failed('secret', error.message, fix))
    } else throw error
    return undefined
  }
}

function explainFailure(error: unknown, signal: AbortSignal): Finding {
  const { message, code } = describeError(error, signal)
  if (error instanceof DatabaseError && code === 'locked') {
    return skipped('database', message, 'Or stop that process, and run doctor again.')
  }
  if (code === 'no_inbox') {
    return skipped('database', message, 'If the app has no inbox, ignore this.')
  }
  const fix = 'Correct this first: the app cannot store anything without the database.'
  return failed('database', message, fix)
}
