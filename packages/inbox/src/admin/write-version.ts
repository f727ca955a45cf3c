import { keyOf, literalOf, literalOfBytes, quote } from './literal.ts'
import json from './capsule.json' with { type: 'json' }
import type { Version } from './read-history.ts'

/** How much of the text of a body a comment shows, in characters. */
const maxComment = 4_000

/**
 * Writes the members of a version, one or more lines each. `hasOutcomes` says whether to include
 * the results of its effects.
 */
export function writeVersion(version: Version, indent: number, hasOutcomes: boolean): string[] {
  const { at, receivedAt, via, change, revision, body, pull, isCertain, outcomes } = version
  const members = [
    ...(isCertain ? [] : [`// ${json.uncertain}`, 'isCertain: false,']),
    `at: ${quote(at.toISOString())},`,
    ...(receivedAt.getTime() === at.getTime()
      ? []
      : [`receivedAt: ${quote(receivedAt.toISOString())},`]),
    `via: ${quote(via)}, change: ${quote(change)}, revision: ${revision},`,
    ...(body === null ? [] : writeBody(body, indent)),
    ...(pull === null ? [] : [`pulled: ${literalOf(pull, indent)},`]),
    ...(hasOutcomes && outcomes.length > 0 ? writeOutcomes(outcomes, indent) : []),
  ]
  return members.map((member) => `${' '.repeat(indent)}${member}`)
}

function writeBody(body: Uint8Array, indent: number): string[] {
  const written = literalOfBytes(body, indent)
  if ('json' in written) return [`signed: ${written.json},`]
  const text = Buffer.from(body).toString()
  const more = text.length > maxComment ? ' …' : ''
  return [`// ${quote(text.slice(0, maxComment))}${more}`, `signedBase64: ${written.base64},`]
}

function writeOutcomes(outcomes: Version['outcomes'], indent: number): string[] {
  const pad = ' '.repeat(indent + 2)
  const members = outcomes.map(([key, outcome]) => {
    const { result }: { result?: unknown } = JSON.parse(outcome)
    return `${pad}${keyOf(key)}: ${literalOf(result, indent + 2)},`
  })
  return [['done: {', ...members, `${' '.repeat(indent)}},`].join('\n')]
}
