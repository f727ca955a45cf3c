import { renderTable } from '../check/render-table.ts'
import { runChecks } from '../check/run-checks.ts'
import { defineCommand } from '../command.ts'
import { confirm, confirmOptions } from '../confirm.ts'
import { isLocal, readUrl } from '../read-url.ts'
import { runShell } from '../run-shell.ts'
import { readSecret, readVariable, secretOptions } from '../secret-options.ts'
import { storedCountOptions, withStoredCount } from '../with-stored-count.ts'

/** A conformance run against any receiver. */
export const check = defineCommand({
  count: [1, 1],
  options: {
    ...secretOptions,
    'second-secret-env': {
      type: 'string',
      value: 'NAME',
      help: 'environment variable with another secret that it accepts; enables rotation',
    },
    'restart-command': {
      type: 'string',
      value: 'command',
      help: 'restarts the receiver and returns within 60 s; enables restart',
    },
    ...storedCountOptions,
    ...confirmOptions,
  },
  notes: [
    'It sends some 200 signed, odd and forged deliveries, with ids that begin with check_. Nearly all\n' +
      'are of the type destination_test; a few have to be of others, and say that they are a test.\n' +
      'What is not enabled reads "not run" and leaves the score alone.',
  ],
  examples: [
    'feed-receiver check http://localhost:3000/webhooks/feed',
    "feed-receiver check http://localhost:3000/feed --restart-command 'systemctl restart receiver'",
  ],
  async run({ operands: [address = ''], options }, context) {
    const { out, signal } = context
    const url = readUrl(address, 'The address of the receiver')
    const secret = readSecret(options, context)
    const second = options['second-secret-env']
    const secondSecret = second === undefined ? undefined : readVariable(second, context)
    const command = options['restart-command']
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
      out.json(report)
      for (const line of renderTable(report).trimEnd().split('\n')) out.line(line)
      return report.hasPassed ? 0 : 1
    })
  },
})
