/** A failure and its causes: `fetch failed` says nothing, and the cause inside it does. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let one = error; one !== undefined && one !== null && causes.length < 5;) {
    causes.push(one)
    one = memberOf(one, 'cause') ?? memberOf(memberOf(one, 'errors'), '0')
  }
  return causes
}

/** What a failure and its causes say, the deepest one last. */
export function messagesOf(error: unknown): string[] {
  return causesOf(error)
    .map((one) => memberOf(one, 'message') ?? one)
    .filter((text): text is string => typeof text === 'string' && text !== '')
}

/** Reads one member of a value that may be an object; undefined if it has none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
