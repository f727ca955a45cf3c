import { fingerprintOf } from '@feed-receiver/core'
import { DatabaseError } from '@feed-receiver/database'
import { createSender, SenderError } from '@feed-receiver/sender'
import { defineCommand, type Context } from '../command.ts'
import { checkAddress, checkReceiver, type Probe } from '../doctor/check-receiver.ts'
import { checkInbox, checkRejections } from '../doctor/check-inbox.ts'
import { failed, ok, skipped, type Finding } from '../doctor/finding.ts'
import { CliError } from '../errors.ts'
import { inboxOptions, withShards, type OpenShards } from '../options/inbox-options.ts'
import { parsed, type Values } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseUrl } from '../options/values.ts'
import { describeError } from '../output/describe-error.ts'
import { createAlertReader } from '../read-alerts.ts'

const doctorOptions = { url: parsed(parseUrl), ...secretOptions, ...inboxOptions }

export const doctor = defineCommand('doctor', {
  options: doctorOptions,
  async run({ options }, context) {
    const { out, signal } = context
    const findings: Finding[] = []
    await examine(options, context, (finding) => {
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

async function examine(
  options: Values<typeof doctorOptions>,
  context: Context,
  report: Report,
): Promise<void> {
  const { url } = options
  const { signal } = context
  const secret = examineSecret(options, context, report)
  // Before the test deliveries, because some of them are rejected. An inbox that does not open is
  // reported below.
  const rejections = await withShards(options, context, checkRejections).catch(() => undefined)
  if (rejections) report(rejections)
  let probe: Probe | undefined
  if (!url) {
    report(skipped('receiver'))
  } else {
    report(await checkAddress(url))
    if (secret !== undefined) {
      const receiver = checkReceiver({ url, secret, signal }, (stored) => (probe = stored))
      for await (const finding of receiver) report(finding)
    }
  }
  try {
    const alerts = createAlertReader()
    const check = async (open: OpenShards) => {
      const found = checkInbox({ ...open, alerts, probe, signal })
      for await (const finding of found) report(finding)
    }
    await withShards(options, context, check, [alerts.extension])
  } catch (error) {
    report(explainFailure(error, signal))
  }
}

/** Returns the secret if it is usable. */
function examineSecret(
  options: Values<typeof doctorOptions>,
  context: Context,
  report: Report,
): string | undefined {
  try {
    const secret = readSecret(options, context)
    createSender({ secret })
    report(ok('secret', { fingerprint: fingerprintOf(secret) }))
    return secret
  } catch (error) {
    if (error instanceof SenderError) report(failed('secret_form', { problem: error.problem }))
    else if (!(error instanceof CliError) || error.code === 'usage') throw error
    else report(failed('no_secret', { message: error.message }))
    return undefined
  }
}

function explainFailure(error: unknown, signal: AbortSignal): Finding {
  const { message, code } = describeError(error, signal)
  if (error instanceof DatabaseError && code === 'locked') return skipped('locked', { message })
  return code === 'no_inbox' ? skipped('no_inbox', { message }) : failed('database', { message })
}
