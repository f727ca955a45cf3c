import { quickQueue } from './supervisor.ts'
import type { RunResult } from './run-faults.ts'

/** The result of a run, in Jepsen's terms. */
export function formatReport(result: RunResult): string {
  const { counts, drained, strikes, seed, events, seconds, problems } = result
  const { heartbeatSeconds, retryDelaySeconds, retryLimit, superviseSeconds } = quickQueue
  const rows: [string, number][] = [
    ['attempts', counts.attempts],
    ['acknowledged', counts.acknowledged],
    ['processed', counts.processed],
    ['lost', counts.lost.length],
    ['unexpected', counts.unexpected],
    ['duplicated', counts.duplicated.length],
    ['recovered', counts.recovered],
    ['unplanned exits', result.unplannedExits.length],
    ['answers that pause the feed', counts.pausing],
    ['no answer within 10 s', counts.timedOut],
  ]
  return [
    '',
    ...formatStrikes(result),
    '',
    ...rows.map(([name, count]) => `${name.padEnd(28)}${String(count).padStart(8)}`),
    '',
    `Seed ${seed}: ${events} events, ${strikes.length} of ${result.planned} faults (${result.kills} kills` +
      ` with -9) in ${seconds} s; ${result.processedDuringFaults} events were processed during them.`,
    `Waited for ${drained.waitedFor} live jobs, ${drained.seconds.toFixed(1)} s; ${drained.stillLive} are left.`,
    `The queue was made quicker than usual: heartbeat ${heartbeatSeconds} s, up to` +
      ` ${retryLimit} retries from ${retryDelaySeconds} s, looked after every ${superviseSeconds} s.`,
    'A full disk has a run of its own, --fault disk-full. An outage of hours is tested elsewhere.',
    ...problems,
    problems.length === 0 ? 'Counts, and is clean.' : `Kept: ${result.folder}`,
  ].join('\n')
}

/** Each kind of fault: how often it was proved, and its latest proof. */
function formatStrikes({ strikes }: RunResult): string[] {
  const names = [...new Set(strikes.map(({ name }) => name))].toSorted()
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name) => {
    const ofThis = strikes.filter((strike) => strike.name === name)
    const proved = ofThis.filter(({ problem }) => problem === undefined)
    const seen = proved.at(-1)?.proof ?? 'nothing'
    return `${name.padEnd(width)} ${proved.length}/${ofThis.length}  ${seen}`
  })
}
