/** The only secret, and during a rotation the new one beside it. */
const names = ['FEED_SIGNING_SECRET', 'FEED_SIGNING_SECRET_NEXT']

/**
 * The signing secrets in an environment, such as `process.env`: `FEED_SIGNING_SECRET`, and during a
 * rotation `FEED_SIGNING_SECRET_NEXT` beside it (R203). A variable that is unset or empty is left out.
 */
export function secretsFromEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  return names.flatMap((name) => env[name] || [])
}
