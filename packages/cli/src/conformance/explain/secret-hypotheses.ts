import type { Hypothesis } from './cause.ts'

const prefix = 'feed_whsec_'

/** How the secret here, trimmed, may differ from the key that signed; the likelier ones first. */
export const secretHypotheses: readonly Hypothesis<string, string | Uint8Array>[] = [
  {
    code: 'secret_white_space',
    says: 'One side has white space around the secret, and the other does not.',
    fix: 'Trim the secret where you read it. It may have a newline from a file, or a space from an .env file.',
    variants(secret) {
      const ends = ['', '\n', '\r\n', ' ', '\r', '\t'].map((end) => secret + end)
      return [...ends, ` ${secret}`, `\uFEFF${secret}`]
    },
  },
  {
    code: 'secret_quotes',
    says: 'One side has quotes around the secret, and the other does not.',
    fix: 'Remove the quotes. Not every parser of .env files removes them.',
    variants(secret) {
      const bare = secret.replace(/^(["'`])(.*)\1$/, '$2')
      return [bare, `"${bare}"`, `'${bare}'`]
    },
  },
  {
    code: 'secret_without_prefix',
    says: 'One side omits the prefix feed_whsec_, which is part of the secret.',
    fix: 'Use the whole secret with its prefix as the key.',
    variants: (secret) => [withoutPrefix(secret), prefix + secret],
  },
  {
    code: 'secret_base64',
    says: 'One side decoded the secret from Base64, as other webhook services require.',
    fix: 'Use the UTF-8 text of the whole secret as the key, without decoding it.',
    variants: (secret) =>
      [withoutPrefix(secret), secret].flatMap((text) => [
        Buffer.from(text, 'base64'),
        Buffer.from(text).toString('base64'),
      ]),
  },
  {
    code: 'secret_hex',
    says: 'One side decoded the secret from hex.',
    fix: 'Use the UTF-8 text of the whole secret as the key, without decoding it.',
    variants: (secret) =>
      [withoutPrefix(secret), secret].flatMap((text) => [
        ...(/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : []),
        Buffer.from(text).toString('hex'),
      ]),
  },
  {
    code: 'secret_line',
    says: 'The secret is a whole line of an .env file, including the variable name.',
    fix: 'Use only the text after the = sign.',
    variants(secret) {
      const [, value] = /^(?:export\s+)?\w+\s*=\s*(.+)$/s.exec(secret) ?? []
      return value === undefined ? [] : [value, value.replace(/^(["'])(.*)\1$/, '$2')]
    },
  },
  {
    code: 'secret_escaped',
    says: 'One side has an escape sequence in the secret, such as \\n or %2B, instead of the character.',
    fix: 'Set the secret as plain text, without escape sequences or URL encoding.',
    variants: (secret) => [
      secret.replaceAll(/\\[nrt]/g, ''),
      `${secret}\\n`,
      encodeURIComponent(secret),
      secret.replaceAll(/%[0-9a-f]{2}/gi, unescapeByte),
    ],
  },
  {
    code: 'secret_case',
    says: 'The secrets of the two sides differ in upper and lower case.',
    fix: 'Copy the secret again, because something changed its case.',
    variants: (secret) => [
      secret.toLowerCase(),
      secret.toUpperCase(),
      prefix + withoutPrefix(secret).toUpperCase(),
    ],
  },
  {
    code: 'secret_unset',
    says: 'The signing side used an empty secret, or the word undefined or null.',
    fix: 'Set the secret on the side that signs, because its variable is missing there.',
    variants: () => ['', 'undefined', 'null', prefix],
  },
]

function withoutPrefix(secret: string): string {
  // oxlint-disable-next-line feed-receiver/constant-time -- the prefix is public
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
}

function unescapeByte(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
}
