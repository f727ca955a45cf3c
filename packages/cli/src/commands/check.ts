import { renderJunit } from '../conformance/check/render-junit.ts'
import { renderTable } from '../conformance/check/render-table.ts'
import { runChecks, type CheckReport } from '../conformance/check/run-checks.ts'
import { runShell } from '../process-group.ts'
import { storeOptions, withStoredCount } from '../stored-count.ts'
import { defineCommand } from '../command.ts'
import { confirm } from '../options/confirm.ts'
import { flag, text } from '../options/option.ts'
import { readSecret, readVariable, secretOptions } from '../options/secret-options.ts'
import { isLocal, parseUrl } from '../options/values.ts'
import { rejectExisting, writeOutput } from '../output/output-file.ts'

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
