import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import type { Scheme } from '../load-requests.ts'
import { startLoadOn } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import { compareLoads } from '../compare.ts'
import { forEach, secret, stopAll, type Part } from './contender-server.ts'

const connections = 64
/** Two, so that the server is the limit and not its load. */
const generators = 2
const seconds = 0.25

/** By framework: the handlers, and how their deliveries are signed. */
const contenders = {
  express: { 'feed-receiver': 'feed', 'by-hand': 'feed', svix: 'svix' },
  node: { 'feed-receiver': 'feed', 'by-hand': 'feed', octokit: 'github' },
} satisfies Record<string, Record<string, Scheme>>

/** A whole delivery over HTTP, without a database. */
export async function compareReceiving({ say, isQuick }: Part): Promise<Figure[]> {
  const rounds = isQuick ? 10 : 40
  say('feed-receiver also finds duplicates in memory and checks the schema. The others do not.')
  say('The signatures of Octokit have no timestamp, so it accepts a delivery of any age.')
  const figures: Figure[] = []
  for (const [framework, schemes] of Object.entries<Record<string, Scheme>>(contenders)) {
    const names = Object.keys(schemes)
    say(`receive on ${framework}: ${rounds} rounds of ${seconds} s for each of ${names.join(', ')}`)
    const loads = await forEach(names, async (name) => {
      const server = startBenchProgram('receive-server.ts', [framework, name, secret])
      const scheme = schemes[name] ?? 'feed'
      return await startLoadOn(server, { connections, seconds, secret, scheme }, generators)
    })
    const measured = await takeTurns(names, { rounds, warmUps: 4 }, async (name) => {
      const load = loads[name]
      if (!load) throw new Error(`There is no load on ${name}.`)
      return await load.round()
    })
    await stopAll(loads)
    figures.push(...compareLoads(`receive on ${framework}`, measured))
  }
  return figures
}
