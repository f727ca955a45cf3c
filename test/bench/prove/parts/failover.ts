import type { RunResult } from '../../../chaos/faults/run-faults.ts'
import { countsTable, faultsProgram } from '../fault-results.ts'
import { plain, table } from '../../../../docs/.vitepress/reference/markdown.ts'
import type { Part } from '../part.ts'
import { readJson } from '../run-logged.ts'

const whole = {
  routes: ['haproxy', 'pgbouncer', 'hosts'],
  faults: ['primary-killed', 'primary-frozen'],
}
const quick = { routes: ['pgbouncer'], faults: ['primary-killed'] }

export const failoverPart: Part = {
  name: 'failover',
  title: 'Failover of PostgreSQL',
  intro:
    'The primary is killed, or freezes with its connections open, and its synchronous standby is promoted three seconds later. The programs find it through HAProxy, through PgBouncer in transaction mode in front of HAProxy, or by a URL with both hosts.',
  async run({ seed, isQuick, run }) {
    const { routes, faults } = isQuick ? quick : whole
    const results: [string, RunResult][] = []
    for (const route of routes) {
      for (const fault of faults) {
        const options = ['--seed', `${seed}`, '--events', '500', '--fault', fault, '--route', route]
        const command = await run(`failover-${route}-${fault}`, [
          faultsProgram,
          '--json',
          ...options,
        ])
        results.push([`${route}, ${fault}`, readJson<RunResult>(command)])
      }
    }
    const seen = results.flatMap(([name, { strikes }]) =>
      strikes.map(({ proof = '', problem }) => [
        name,
        plain(problem === undefined ? proof : `Not proved: ${problem}`),
      ]),
    )
    return {
      problems: results.flatMap(([name, { problems }]) =>
        problems.map((problem) => `${name}: ${problem}`),
      ),
      body: [countsTable(results), table(['Run', 'What was seen'], seen)].join('\n\n'),
      data: Object.fromEntries(results),
    }
  },
}
