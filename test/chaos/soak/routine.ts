import { chooseOperator } from '../faults/faults/choose-member.ts'
import { primaryKilled } from '../faults/faults/primary-fails.ts'
import { seededRandom } from '../faults/random.ts'
import type { World } from '../faults/world.ts'

/** What operating an inbox brings, again and again. */
export interface Duty {
  name: string
  /** How often, in a run that is long enough. */
  everyMinutes: number
  /** How often at least, in a shorter one. */
  atLeast: number
  run(world: World): Promise<string>
}

export const duties: readonly Duty[] = [
  { name: 'prune', everyMinutes: 5, atLeast: 12, run: prune },
  { name: 'reprocess', everyMinutes: 10, atLeast: 6, run: reprocess },
  { name: 'deploy', everyMinutes: 15, atLeast: 4, run: deploy },
  {
    name: 'failover',
    everyMinutes: 60,
    atLeast: 2,
    run: (world) => primaryKilled.inject(world, { which: 0, random: seededRandom(1) }),
  },
]

const keptMinutes = 15

async function prune(world: World): Promise<string> {
  await chooseOperator(world).send({ pruneBytesAfterDays: keptMinutes / 1_440 })
  return `the content of what was handled more than ${keptMinutes} minutes ago was deleted`
}

/** Reprocesses a minute, whose events are handled once more. */
async function reprocess(world: World): Promise<string> {
  const now = Date.now()
  const [before] = await world.sql<{ count: number }>('select count(*)::int from reprocessed')
  await chooseOperator(world).send({
    reprocessBefore: new Date(now).toISOString(),
    since: new Date(now - 60_000).toISOString(),
  })
  const [after] = await world.sql<{ count: number }>('select count(*)::int from reprocessed')
  return `${(after?.count ?? 0) - (before?.count ?? 0)} events were handled again by the end of the call`
}

/** Replaces one receiver and one worker. The others run throughout, so that leaks show in them. */
async function deploy({ receivers, workers }: World): Promise<string> {
  for (const member of [receivers[0], workers[0]]) {
    const replaced = member?.replaced(0)
    member?.signal('SIGTERM')
    await replaced
  }
  return 'a receiver and a worker were asked to end, and replaced'
}
