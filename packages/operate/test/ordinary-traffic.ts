import { seededRandom } from '../../../test/chaos/faults/random.ts'
import { day, hour, minute, type AlertWorld, type StoredEntry } from './alert-world.ts'

const types = ['model_release', 'model_removed', 'outage_started', 'outage_ended', 'price_changed']

/** What happens to one entry in one minute. */
interface Planned {
  at: number
  store?: StoredEntry
  push?: string
  fail?: { id: string; type: string; retryAt: number }
  done?: string
  reject?: string
}

/**
 * Plans weeks of ordinary traffic, always the same for a seed: busy days, quiet nights, empty
 * weekends, bursts, duplicates, pulls ahead of late pushes, handlers that fail and recover in their
 * retries, a daily deploy during which no worker runs, one secret rotation, and unsigned requests
 * by strangers at any time.
 */
export function planTraffic({
  from,
  weeks,
  rotatedAt,
  seed,
}: {
  from: number
  weeks: number
  rotatedAt: number
  seed: number
}): Planned[] {
  const random = seededRandom(seed)
  const planned: Planned[] = []
  let count = 0
  for (let at = from; at < from + weeks * 7 * day; at += minute) {
    const hourOfDay = Math.floor((at % day) / hour)
    if (random.next() < 0.01) planned.push({ at, reject: 'signature_missing' })
    if (isWeekend(at)) continue
    const isBusy = hourOfDay >= 7 && hourOfDay < 20
    if (random.next() < (isBusy ? 0.3 : 0.003)) arrive(at)
    if (isBusy && random.next() < 0.003) for (let n = 0; n < 150; n += 1) arrive(at)
  }
  return planned.toSorted((one, other) => one.at - other.at)

  function arrive(at: number): void {
    count += 1
    const id = `evt-${seed}-${count}`
    const type = random.pick(types)
    // The service signs with the old secret for a day.
    const signedBy = at < rotatedAt + day ? 'first' : 'second'
    // After a 503, some pushes arrive with a retry, and pull is first.
    const isLate = random.next() < 0.03
    const pulledAt = at + random.below(2) * minute
    planned.push({
      at: pulledAt,
      store: {
        id,
        type,
        at: pulledAt,
        state: 'received',
        signedBy,
        pulledAt,
        pushes: isLate ? [] : [at],
      },
    })
    if (isLate) planned.push({ at: at + (1 + random.below(40)) * minute, push: id })
    if (random.next() < 0.05) planned.push({ at: at + random.below(60) * minute, push: id })
    handle(id, type, pulledAt)
  }

  function handle(id: string, type: string, pulledAt: number): void {
    let triedAt = afterDeploy(pulledAt + random.below(20) * 1_000)
    for (let tries = 1; ; tries += 1) {
      const isFailing = hasOutage(triedAt) || random.next() < (tries > 1 ? 0.3 : 0.05)
      if (!isFailing || tries > 8) break
      const retryAt = triedAt + 5_000 * 2 ** tries * (0.5 + random.next() / 2)
      planned.push({ at: triedAt, fail: { id, type, retryAt } })
      triedAt = afterDeploy(retryAt)
    }
    planned.push({ at: triedAt, done: id })
  }
}

/** A dependency of the handlers is down for four minutes each morning. */
function hasOutage(at: number): boolean {
  return at % day >= 9 * hour && at % day < 9 * hour + 4 * minute
}

/** No worker runs for two minutes each afternoon. */
function afterDeploy(at: number): number {
  const since = (at % day) - 14 * hour
  return since >= 0 && since < 2 * minute ? at - since + 2 * minute : at
}

function isWeekend(at: number): boolean {
  return [0, 6].includes(new Date(at).getUTCDay())
}

/** Writes one slice of the plan, and returns the rest. */
export async function live(
  world: AlertWorld,
  planned: readonly Planned[],
  until: number,
): Promise<Planned[]> {
  const end = planned.findIndex(({ at }) => at >= until)
  const slice = end === -1 ? planned : planned.slice(0, end)
  const done = slice.flatMap(({ done: id, at }) => (id === undefined ? [] : [{ id, at }]))
  await world.store(...slice.flatMap(({ store }) => store ?? []))
  for (const { push: id, at } of slice) if (id !== undefined) await world.push({ id, at })
  // A job records only its latest attempt.
  const failures = new Map(
    slice.flatMap(({ fail, at }) => (fail ? [[fail.id, { ...fail, at }] as const] : [])),
  )
  const ended = new Set(done.map(({ id }) => id))
  await world.endJobs(...failures.keys(), ...ended)
  await world.fail(...[...failures.values()].filter(({ id }) => !ended.has(id)))
  await world.change(...done.map((change) => ({ ...change, state: 'done' })))
  for (const { reject, at } of slice) if (reject !== undefined) await world.reject(reject, at)
  return end === -1 ? [] : planned.slice(end)
}
