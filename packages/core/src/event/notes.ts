import { knownTypes, type Benchmark, type FeedEvent } from './feed-event.ts'

/** Something unusual about a delivery that was accepted. */
export type Note =
  | 'unknown_type'
  | 'unknown_category'
  | 'unknown_evidence'
  | 'unknown_confirmation'
  | 'extra_members'
  | 'benchmark_bounds'
  | 'event_id_header_missing'
  /** A holder of the secret marked it as a test, so it is no push of the service. */
  | 'check'

const types = new Set<string>(knownTypes)
const categories = new Set(['models', 'outages', 'benchmarks', 'other'])
const evidences = new Set(['documented', 'api_listed', 'official_publication'])
const confirmations = new Set(['confirmed', 'unconfirmed'])

/** More is a fault of the service, but no reason to lose the event. */
const maxBenchmarkProperties = 50

/** Notes members and values of an event that the interface does not document. */
export function noteEvent(event: FeedEvent): Note[] {
  const notes: Note[] = []
  if (!types.has(event.type)) notes.push('unknown_type')
  if (!categories.has(event.data.category)) notes.push('unknown_category')
  if (!evidences.has(event.data.evidence)) notes.push('unknown_evidence')
  if (!confirmations.has(event.data.confirmation)) notes.push('unknown_confirmation')
  if (hasExtraMembers(event)) notes.push('extra_members')
  if (isOverBounds(event.data.benchmark)) notes.push('benchmark_bounds')
  return notes
}

// The schema has checked every required member, so counting is enough.
function hasExtraMembers(event: FeedEvent): boolean {
  const documented = event.data.benchmark === undefined ? 9 : 10
  return (
    countMembers(event) > 5 ||
    countMembers(event.data) > documented ||
    countMembers(event.data.subject) > 2
  )
}

function countMembers(value: object): number {
  let count = 0
  for (const _ in value) count += 1
  return count
}

function isOverBounds(benchmark: Benchmark | undefined): boolean {
  if (!benchmark) return false
  return (
    Object.keys(benchmark).some((member) => member !== 'current' && member !== 'previous') ||
    Object.keys(benchmark.current ?? {}).length > maxBenchmarkProperties ||
    Object.keys(benchmark.previous ?? {}).length > maxBenchmarkProperties
  )
}
