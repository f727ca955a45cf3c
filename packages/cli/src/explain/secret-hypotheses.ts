import type { Hypotheses } from './cause.ts'

const prefix = 'feed_whsec_'

/** How the secret here, trimmed, may differ from the key that signed; the likelier ones first. */
export const secretHypotheses: Hypotheses<string, string | Uint8Array> = {
  secret_white_space(secret) {
    const ends = ['', '\n', '\r\n', ' ', '\r', '\t'].map((end) => secret + end)
    return [...ends, ` ${secret}`, `\uFEFF${secret}`]
  },
  secret_quotes(secret) {
    const bare = secret.replace(/^(["'`])(.*)\1$/, '$2')
    return [bare, `"${bare}"`, `'${bare}'`]
  },
  secret_without_prefix: (secret) => [withoutPrefix(secret), prefix + secret],
  secret_base64: (secret) =>
    [withoutPrefix(secret), secret].flatMap((text) => [
      Buffer.from(text, 'base64'),
      Buffer.from(text).toString('base64'),
    ]),
  secret_hex: (secret) =>
    [withoutPrefix(secret), secret].flatMap((text) => [
      ...(/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : []),
      Buffer.from(text).toString('hex'),
    ]),
  secret_line(secret) {
    const [, value] = /^(?:export\s+)?\w+\s*=\s*(.+)$/s.exec(secret) ?? []
    return value === undefined ? [] : [value, value.replace(/^(["'])(.*)\1$/, '$2')]
  },
  secret_escaped: (secret) => [
    secret.replaceAll(/\\[nrt]/g, ''),
    `${secret}\\n`,
    encodeURIComponent(secret),
    secret.replaceAll(/%[0-9a-f]{2}/gi, unescapeByte),
  ],
  secret_case: (secret) => [
    secret.toLowerCase(),
    secret.toUpperCase(),
    prefix + withoutPrefix(secret).toUpperCase(),
  ],
  secret_unset: () => ['', 'undefined', 'null', prefix],
}

function withoutPrefix(secret: string): string {
  // oxlint-disable-next-line feed-receiver/constant-time -- the prefix is public
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
}

function unescapeByte(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
}
