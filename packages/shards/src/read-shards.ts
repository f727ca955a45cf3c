import type { PreviousShards } from './choose-shard.ts'
import { checkOption } from './errors.ts'

/** The shards from a text, in the form that `createInbox` and `shardInbox` accept. */
export interface NamedShards {
  /** The URLs of their databases, in order. */
  databases: string[]
  previous: PreviousShards[]
}

/**
 * Reads the shards from one environment variable, so that apps and commands agree: URLs in their
 * order, separated by white space. Put a time before later additions. New events go to them from
 * that time on: `postgres://a/feed postgres://b/feed 2026-12-01T12:00:00Z postgres://c/feed`.
 * Errors: `bad_option`.
 */
export function readShards(text: string): NamedShards {
  const databases: string[] = []
  const previous: PreviousShards[] = []
  for (const [index, part] of text.trim().split(/\s+/).entries()) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(part)) databases.push(part)
    else {
      // Never quoted, because it may be part of a password.
      const isTime = /^\d{4}-\d\d-\d\dT/.test(part) && !Number.isNaN(Date.parse(part))
      const hint = 'Separate the URLs of shards with white space, and add nothing but times.'
      checkOption(isTime, `Part ${index + 1} is neither a URL nor a time in ISO 8601. ${hint}`)
      previous.push({ shards: databases.length, until: part })
    }
  }
  return { databases, previous }
}
