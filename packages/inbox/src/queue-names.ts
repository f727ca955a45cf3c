/** The ends of the names of queues, which no source may have. Only this file knows them. */
const ordered = '_ordered'
const deadLetters = '_dead'

/**
 * The queue of a feed. An ordered one has another name, because a queue cannot change its order: an
 * inbox that becomes ordered, or no longer is, moves its jobs from the other queue.
 */
export function queueName(source: string, isOrdered: boolean): string {
  return isOrdered ? `${source}${ordered}` : source
}

/** The queue that the inbox had if `ordered` has changed. */
export function otherQueueName(name: string, isOrdered: boolean): string {
  return isOrdered ? withoutOrder(name) : queueName(name, true)
}

/** Both names that the queue of a source may have, as SQL of a list. `source` is SQL, too. */
export function queueNamesSql(source: string): string {
  return `${source}::text, ${source}::text || '${ordered}'`
}

/** The dead-letter queue of a queue. */
export function deadLetterName(queue: string): string {
  return `${queue}${deadLetters}`
}

/** The source of a queue by its name; undefined for dead letters and for pg-boss's own queues. */
export function sourceOfQueue(name: string): string | undefined {
  if (name.startsWith('__') || name.endsWith(deadLetters)) return undefined
  return withoutOrder(name)
}

function withoutOrder(name: string): string {
  return name.endsWith(ordered) ? name.slice(0, -ordered.length) : name
}
