import type { ReadEvent } from './right-steps.ts'

type Data = ReadEvent['data'] & { subject?: object; benchmark?: { current?: object } }

/** Validates an event with a closed schema, like one that was generated from examples. */
export function readStrictly(body: Buffer): ReadEvent | undefined {
  try {
    const event: ReadEvent | null = JSON.parse(body.toString())
    return event && isValid(event) ? event : undefined
  } catch {
    return undefined
  }
}

function isValid({ data, ...envelope }: ReadEvent): boolean {
  const { subject = {}, benchmark, source_published_at, ...rest } = (data ?? {}) as Data
  const strings = [...Object.values(rest), ...Object.values(subject)]
  return (
    Object.keys(envelope).toSorted().join() === 'created_at,id,schema_version,type' &&
    typeof envelope.id === 'string' &&
    Object.keys(rest).length === 7 &&
    source_published_at !== undefined &&
    strings.every((each) => typeof each === 'string') &&
    Object.values(benchmark?.current ?? {}).every((each) => each !== Infinity) &&
    ['models', 'outages', 'benchmarks', 'other'].includes(String(rest.category))
  )
}
