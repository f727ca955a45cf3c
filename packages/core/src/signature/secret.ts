import { FeedReceiverError } from '../errors.ts'

/** One secret, whole, or several; `undefined` is an environment variable that is not set. */
export type SecretList = string | undefined | readonly (string | undefined)[]

/**
 * Returns the secrets as a list.
 *
 * @throws FeedReceiverError `bad_secret` if there is none, or if one does not look like a signing
 * secret; the message says which and why, and never quotes it.
 */
export function checkSecrets(given: SecretList): string[] {
  const values = [given].flat()
  if (values.length === 0) {
    throw new FeedReceiverError(
      'bad_secret',
      'There is no signing secret. Pass the one that the service showed you once, for example in ' +
        'FEED_SIGNING_SECRET. If it is in a file, start with node --env-file=.env.',
    )
  }
  return values.map((value, index) => {
    const which = `Signing secret ${index + 1} of ${values.length}`
    const problem = secretProblem(value)
    // The second half is impossible here, but the compiler cannot know.
    if (problem !== undefined || value === undefined)
      throw badSecret(`${which} ${problem ?? 'is missing'}`)
    return value
  })
}

/** The secret, and during a rotation the next one. */
const names = ['FEED_SIGNING_SECRET', 'FEED_SIGNING_SECRET_NEXT']

/**
 * Reads the signing secrets from an environment, such as `process.env`: `FEED_SIGNING_SECRET`, and
 * during a rotation also `FEED_SIGNING_SECRET_NEXT`. Skips unset and empty variables.
 *
 * @throws FeedReceiverError `bad_secret` for a development secret with `NODE_ENV=production`.
 */
export function secretsFromEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  const development = names.find((name) => env[name]?.startsWith(developmentPrefix))
  if (development !== undefined && env['NODE_ENV'] === 'production') {
    throw new FeedReceiverError(
      'bad_secret',
      `${development} is a development secret, because it begins with ${developmentPrefix}, and ` +
        'NODE_ENV is production. Set it to the secret that the service showed you once. To try a ' +
        'production build with the sandbox, set a secret of your own that begins with ' +
        'feed_whsec_local_.',
    )
  }
  return names.flatMap((name) => env[name] || [])
}

/** `create-feed-receiver` generates secrets with it. */
const developmentPrefix = 'feed_whsec_dev_'

/** The text that is hashed for the fingerprint of a secret. */
export function fingerprintText(secret: string): string {
  return `feed-receiver secret ${secret}`
}

/**
 * Says why a value cannot be a signing secret; undefined if it can. The text ends a sentence
 * and never quotes the value. The whole string is the key.
 */
export function secretProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is undefined: the environment variable is not set'
  if (typeof value !== 'string') {
    return `is ${value === null ? 'null' : `a value of type ${typeof value}`}, not a string`
  }
  if (value === '') return 'is empty: anybody can sign with an empty secret'
  // Before white space, of which a BOM is a kind.
  if (value.startsWith('\ufeff')) {
    return 'begins with a byte order mark: save the file that it comes from as UTF-8 without one'
  }
  if (value !== value.trim()) return 'has white space around it: remove it'
  if (/^["'`]/.test(value)) return 'has quotes around it: remove them'
  // Base64 padding after the prefix would match, too.
  if (!value.startsWith(prefix) && /^(?:export\s+)?\w+\s*=/.test(value)) {
    return 'begins with the name of a variable: pass only the part after the ='
  }
  if (!value.startsWith(prefix)) return `does not begin with ${prefix}: copy the whole secret`
  if (value === prefix) return `is only ${prefix}: copy the whole secret`
  const rest = value.slice(prefix.length)
  if (rest.includes(prefix)) return `contains ${prefix} twice: pass each secret as a separate item`
  if (rest.includes(',')) return 'contains a comma: pass each secret as a separate item'
  if (/\s#/.test(rest)) return 'has a comment behind it: move the comment to a line of its own'
  if (/\\[nrt]$/.test(rest)) {
    return 'ends with a backslash and a letter, which stand for a line end or tab: remove both'
  }
  if (/\s/.test(rest)) return 'contains white space: copy it again from the service'
  if (!/^[\x21-\x7e]+$/.test(rest)) {
    return 'contains characters that are not printable ASCII: copy it again from the service'
  }
  return undefined
}

const prefix = 'feed_whsec_'

function badSecret(problem: string): FeedReceiverError {
  return new FeedReceiverError(
    'bad_secret',
    `${problem}. Read it from the environment, for example from FEED_SIGNING_SECRET.`,
  )
}
