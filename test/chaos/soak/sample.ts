import { readFileSync } from 'node:fs'
import { createSender, fixture } from '@feed-receiver/sender'
import type { Member } from '../faults/member.ts'
import type { World } from '../faults/world.ts'
import { figureOf } from '../../bench/figure.ts'

/** What can grow while an inbox runs, at one time. */
export interface Sample {
  /** Seconds since the start of the run. */
  at: number
  /** Memory of the receiver and of the worker that are never restarted, in MiB. */
  receiverMiB: number
  workerMiB: number
  /** Bytes of tables and indexes for each stored event; bodies only as far as they are kept. */
  bytesPerEvent: number
  /** The table of bodies with its indexes, in MiB: steady if its space is used again after a prune. */
  bodiesMiB: number
  /** The time to an answer: the median of the probes, in ms. */
  answerMs: number
  /** From the storing of an event to the end of its handling: the 95th percentile, in ms. */
  lagMs: number
  /** Jobs that wait or run. */
  waiting: number
}

export type Measure = keyof Omit<Sample, 'at'>

const probes = 20

/** Measures since the sample before, which was taken `sinceSeconds` ago. */
export async function takeSample(
  world: World,
  { at, sinceSeconds }: { at: number; sinceSeconds: number },
): Promise<Sample> {
  const [, receiver] = world.receivers
  const [, worker] = world.workers
  const answers = await probe(world, at)
  const [sizes] = await world.sql<{ bytes: number; bodies: number }>(sizesSql)
  const [lag] = await world.sql<{ ms: number | null }>(lagSql, [sinceSeconds])
  return {
    at,
    receiverMiB: residentMiB(receiver),
    workerMiB: residentMiB(worker),
    bytesPerEvent: sizes?.bytes ?? 0,
    bodiesMiB: (sizes?.bodies ?? 0) / 2 ** 20,
    answerMs: figureOf('', 'ms', answers).median,
    lagMs: lag?.ms ?? 0,
    waiting: await world.queue.countLive(),
  }
}

/** Deliveries of a type that no handler counts, one after the other. */
async function probe({ front, secrets }: World, at: number): Promise<number[]> {
  const sender = createSender({ secret: secrets.signing })
  const to = `http://127.0.0.1:${front.port}/webhooks/feed`
  const times: number[] = []
  for (let index = 0; index < probes; index += 1) {
    const event = fixture('destination_test', { id: `probe_${Math.round(at * 1_000)}_${index}` })
    const startedAt = performance.now()
    await sender.attempt(event, { to })
    times.push(performance.now() - startedAt)
  }
  await sender.close()
  return times
}

function residentMiB(member: Member | undefined): number {
  const status = readFileSync(`/proc/${member?.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024
}

const sizesSql = `select
  (select sum(pg_total_relation_size(relid)) from pg_stat_user_tables
   where schemaname = 'feed_inbox')::float8
    / greatest((select count(*) from feed_inbox.entry), 1) as bytes,
  pg_total_relation_size('feed_inbox.entry_body')::float8 as bodies`

const lagSql = `select
  1000 * percentile_cont(0.95) within group (order by extract(epoch from handled_at - received_at))
    as ms
  from feed_inbox.entry where received_at > now() - make_interval(secs => $1) and state = 'done'`
