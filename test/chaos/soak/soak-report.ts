import { join } from 'node:path'
import { table } from '../../../docs/.vitepress/reference/markdown.ts'
import { repository } from '../../support/built-program.ts'
import type { Growth } from './growth.ts'
import type { SoakResult } from './run-soak.ts'

/** Where the latest result is, for the report of `npm run prove`. */
export const soakFile = join(repository, 'proof/soak.json')

/** The result in the published report, for those who have not run it themselves. */
export const publishedSoakFile = join(repository, 'docs/proof/soak.json')

const measures: Record<Growth['measure'], string> = {
  receiverMiB: 'Memory of a receiver that ran throughout',
  workerMiB: 'Memory of a worker that ran throughout',
  bytesPerEvent: 'Tables and indexes, for each event',
  bodiesMiB: 'Table of bodies, of which old ones are pruned',
  answerMs: 'Time to an answer, median',
  lagMs: 'From accepted to handled, 95 %',
  waiting: 'Jobs that wait or run',
}

/** What was done, and each measure early and late, as Markdown. */
export function formatGrowth({ hours, rate, counts, done, growths }: SoakResult): string {
  const times = (name: string) => done.filter((one) => one.name === name).length
  const show = (value: number, { unit }: Growth) => `${value.toFixed(1)} ${unit}`.trim()
  return [
    `${hours} hours at ${rate} events a second: ${counts.acknowledged} events accepted, ${counts.processed} handled, ${counts.lost.length} lost, ${counts.duplicated.length} doubled; ${times('prune')} prunes, ${times('reprocess')} reprocesses, ${times('deploy')} deploys, ${times('failover')} failovers.`,
    table(
      ['Measure', 'Second fifth', 'Last fifth', ''],
      growths.map((growth) => [
        measures[growth.measure],
        show(growth.early, growth),
        show(growth.late, growth),
        growth.hasGrown ? '**has grown**' : 'steady',
      ]),
    ),
  ].join('\n\n')
}
