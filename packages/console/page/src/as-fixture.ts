/** An event as a module of TypeScript, for a test. */
export function asFixture(event: object): string {
  const json = JSON.stringify(event, null, 2)
    // In a literal this member would be the prototype. Lines begin with members, never with text.
    .replaceAll(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return [
    "import type { FeedEvent } from '@feed-receiver/core'",
    '',
    `export const event: FeedEvent = ${json}`,
    '',
  ].join('\n')
}
