import { checkOption } from '../errors.ts'
import type { PreviousShards } from './choose-shard.ts'

/** The shards that a text names, as `createInbox` and `shardInbox` take them. */
export interface NamedShards {
  /** The URLs of their databases, in order. */
  databases: string[]
  previous: PreviousShards[]
}

/**
 * Reads the shards of one variable, so that apps and commands agree: URLs with white space between
 * them, in their order. Before those that were added later stands the time from which on events go to
 * them, too: `postgres://a/feed postgres://b/feed 2026-12-01T12:00:00Z postgres://c/feed`. Errors:
 * `bad_option`.
 */
export function readShards(text: string): NamedShards {
  const databases: string[] = []
  const previous: PreviousShards[] = []
  for (const [index, part] of text.trim().split(/\s+/).entries()) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(part)) databases.push(part)
    else {
      // Never quoted: it may be a piece of a password.
      const isTime = /^\d{4}-\d\d-\d\dT/.test(part) && !Number.isNaN(Date.parse(part))
      const hint = 'Put white space between the URLs of shards, and nothing else but times.'
      checkOption(isTime, `Part ${index + 1} is neither a URL nor a time in ISO 8601. ${hint}`)
      previous.push({ shards: databases.length, until: part })
    }
  }
  return { databases, previous }
}
