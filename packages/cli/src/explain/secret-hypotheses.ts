import type { Hypotheses } from './cause.ts'

const prefix = 'feed_whsec_'

/** How the secret here, trimmed, may differ from the key that signed; the likelier ones first. */
export const secretHypotheses: Hypotheses<string, string | Uint8Array> = {
  secret_white_space: {
    says: 'One side has white space around the secret, and the other has not.',
    fix: 'Trim it where it is read: a new line from a file, or a space in an .env file.',
    variants(secret) {
      const ends = ['', '\n', '\r\n', ' ', '\r', '\t'].map((end) => secret + end)
      return [...ends, ` ${secret}`, `\uFEFF${secret}`]
    },
  },
  secret_quotes: {
    says: 'One side has quotes around the secret, and the other has not.',
    fix: 'Take the quotes off: not every reader of .env files does it by itself.',
    variants(secret) {
      const bare = secret.replace(/^(["'`])(.*)\1$/, '$2')
      return [bare, `"${bare}"`, `'${bare}'`]
    },
  },
  secret_without_prefix: {
    says: `One side left out the prefix ${prefix}, which belongs to the secret.`,
    fix: 'Use the whole secret as the key, with its prefix, as it was shown.',
    variants: (secret) => [withoutPrefix(secret), prefix + secret],
  },
  secret_base64: {
    says: 'One side decoded the secret from Base64, as other webhook services want it.',
    fix: 'Use the text of the whole secret as the key, as UTF-8, without decoding it.',
    variants: (secret) =>
      [withoutPrefix(secret), secret].flatMap((text) => [
        Buffer.from(text, 'base64'),
        Buffer.from(text).toString('base64'),
      ]),
  },
  secret_hex: {
    says: 'One side decoded the secret from hex.',
    fix: 'Use the text of the whole secret as the key, as UTF-8, without decoding it.',
    variants: (secret) =>
      [withoutPrefix(secret), secret].flatMap((text) => [
        ...(/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : []),
        Buffer.from(text).toString('hex'),
      ]),
  },
  secret_line: {
    says: 'The secret here is a whole line of an .env file, with the name of the variable.',
    fix: 'Keep only what stands behind the = sign.',
    variants(secret) {
      const [, value] = /^(?:export\s+)?\w+\s*=\s*(.+)$/s.exec(secret) ?? []
      return value === undefined ? [] : [value, value.replace(/^(["'])(.*)\1$/, '$2')]
    },
  },
  secret_escaped: {
    says: 'One side has an escape in the secret, such as \\n or %2B, in place of the character.',
    fix: 'Set the secret as plain text, without escapes and without URL encoding.',
    variants: (secret) => [
      secret.replaceAll(/\\[nrt]/g, ''),
      `${secret}\\n`,
      encodeURIComponent(secret),
      secret.replaceAll(/%[0-9a-f]{2}/gi, unescapeByte),
    ],
  },
  secret_case: {
    says: 'The secrets of the two sides differ in upper and lower case.',
    fix: 'Copy the secret again: something on the way changed its case.',
    variants: (secret) => [
      secret.toLowerCase(),
      secret.toUpperCase(),
      prefix + withoutPrefix(secret).toUpperCase(),
    ],
  },
  secret_unset: {
    says: 'It was signed with an empty secret, or with the word undefined or null.',
    fix: 'Set the secret where the delivery is signed: the variable is missing there.',
    variants: () => ['', 'undefined', 'null', prefix],
  },
}

function withoutPrefix(secret: string): string {
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
}

function unescapeByte(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
}
