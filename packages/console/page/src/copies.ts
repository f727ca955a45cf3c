/**
 * Shell commands that deliver the same bytes again with a new signature. The user fills in the
 * secret and the address. The body is in Base64, and a header with characters special to a shell is
 * left out, so that nothing in an event becomes a command.
 */
export function asCurl(bodyBase64: string, headers: Readonly<Record<string, string>>): string {
  const kept = ['content-type', 'feed-event-id', 'idempotency-key']
    .map((name) => [name, headers[name] ?? ''] as const)
    .filter(([, value]) => /^[\w.:/;= +-]+$/.test(value))
    .map(([name, value]) => `  -H '${name}: ${value}' \\`)
  return [
    "secret='<your signing secret>'",
    "url='https://<your app>/webhooks/feed'",
    'body=$(mktemp)',
    `base64 -d > "$body" <<'END'`,
    ...(bodyBase64.match(/.{1,76}/g) ?? []),
    'END',
    't=$(date +%s)',
    `v1=$({ printf '%s.' "$t"; cat "$body"; } | openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)`,
    'curl -i "$url" \\',
    ...kept,
    '  -H "feed-signature: t=$t,v1=$v1" \\',
    '  --data-binary @"$body"',
    '',
  ].join('\n')
}

/** An event as a TypeScript module, for a test. */
export function asFixture(event: object): string {
  const json = JSON.stringify(event, null, 2)
    // In an object literal this member would set the prototype. Lines begin with members, never
    // with text.
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
