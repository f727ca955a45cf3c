import type { SecretHypothesis } from './hypothesis.ts'

const prefix = 'feed_whsec_'

/** How the secret here may differ from the key that signed; the likelier ones first. */
export const secretHypotheses: readonly SecretHypothesis[] = [
  {
    code: 'secret_white_space',
    says: 'One side has white space around the secret, and the other has not.',
    fix: 'Trim it where it is read: a new line from a file, or a space in an .env file.',
    *variants(secret) {
      const bare = secret.trim()
      yield bare
      for (const end of ['\n', '\r\n', ' ', '\r', '\t']) yield `${bare}${end}`
      for (const start of [' ', '\uFEFF']) yield `${start}${bare}`
    },
  },
  {
    code: 'secret_quotes',
    says: 'One side has quotes around the secret, and the other has not.',
    fix: 'Take the quotes off: not every reader of .env files does it by itself.',
    *variants(secret) {
      const bare = secret.trim().replace(/^(["'`])(.*)\1$/, '$2')
      yield bare
      for (const quote of ['"', "'"]) yield `${quote}${bare}${quote}`
    },
  },
  {
    code: 'secret_without_prefix',
    says: `One side left out the prefix ${prefix}, which belongs to the secret.`,
    fix: 'Use the whole secret as the key, with its prefix, as it was shown.',
    *variants(secret) {
      yield withoutPrefix(secret.trim())
      yield prefix + secret.trim()
    },
  },
  {
    code: 'secret_base64',
    says: 'One side decoded the secret from Base64, as other webhook services want it.',
    fix: 'Use the text of the whole secret as the key, as UTF-8, without decoding it.',
    *variants(secret) {
      const bare = secret.trim()
      for (const text of [withoutPrefix(bare), bare]) {
        yield Buffer.from(text, 'base64')
        yield Buffer.from(text).toString('base64')
      }
    },
  },
  {
    code: 'secret_hex',
    says: 'One side decoded the secret from hex.',
    fix: 'Use the text of the whole secret as the key, as UTF-8, without decoding it.',
    *variants(secret) {
      const bare = secret.trim()
      for (const text of [withoutPrefix(bare), bare]) {
        if (/^(?:[0-9a-f]{2})+$/i.test(text)) yield Buffer.from(text, 'hex')
        yield Buffer.from(text).toString('hex')
      }
    },
  },
  {
    code: 'secret_line',
    says: 'The secret here is a whole line of an .env file, with the name of the variable.',
    fix: 'Keep only what stands behind the = sign.',
    *variants(secret) {
      const [, value] = /^\s*(?:export\s+)?\w+\s*=\s*(.+)$/s.exec(secret) ?? []
      if (value === undefined) return
      yield value.trim()
      yield value.trim().replace(/^(["'])(.*)\1$/, '$2')
    },
  },
  {
    code: 'secret_escaped',
    says: 'One side has an escape in the secret, such as \\n or %2B, in place of the character.',
    fix: 'Set the secret as plain text, without escapes and without URL encoding.',
    *variants(secret) {
      const bare = secret.trim()
      yield bare.replaceAll(/\\[nrt]/g, '')
      yield `${bare}\\n`
      yield encodeURIComponent(bare)
      if (/%[0-9a-f]{2}/i.test(bare)) yield bare.replaceAll(/%[0-9a-f]{2}/gi, unescapeByte)
    },
  },
  {
    code: 'secret_case',
    says: 'The secrets of the two sides differ in upper and lower case.',
    fix: 'Copy the secret again: something on the way changed its case.',
    *variants(secret) {
      const bare = secret.trim()
      yield bare.toLowerCase()
      yield bare.toUpperCase()
      yield prefix + withoutPrefix(bare).toUpperCase()
    },
  },
  {
    code: 'secret_unset',
    says: 'It was signed with an empty secret, or with the word undefined or null.',
    fix: 'Set the secret where the delivery is signed: the variable is missing there.',
    *variants() {
      yield* ['', 'undefined', 'null', prefix]
    },
  },
]

function withoutPrefix(secret: string): string {
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
}

function unescapeByte(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
}
