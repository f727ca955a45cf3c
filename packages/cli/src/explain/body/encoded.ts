import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { BodyHypothesis } from '../hypothesis.ts'

/** The JSON as a text in JSON, so written twice. */
export const jsonString: BodyHypothesis = {
  code: 'body_json_string',
  says: 'One side has the body as a text in JSON, in quotes and with escapes: it was written twice.',
  fix: 'Hand on the text itself: JSON.stringify was called on what was JSON already.',
  *variants(body) {
    const value = parse(body)
    if (typeof value === 'string') yield Buffer.from(value)
    yield Buffer.from(JSON.stringify(decode(body)))
  },
}

/** What JSON makes of a Node buffer. */
export const bufferJson: BodyHypothesis = {
  code: 'body_buffer_json',
  says: 'The body here is what JSON.stringify makes of a Buffer: {"type":"Buffer","data":[…]}.',
  fix: 'Hand on the bytes themselves, or store them as Base64.',
  *variants(body) {
    const value = parse(body)
    const isBuffer = typeof value === 'object' && value !== null && 'data' in value
    if (isBuffer && Array.isArray(value.data)) yield Buffer.from(value.data.map(Number))
  },
}

/** Base64, as serverless platforms hand over bodies. */
export const base64: BodyHypothesis = {
  code: 'body_base64',
  says: 'One side has the body in Base64.',
  fix: 'Decode it first: serverless platforms say so in isBase64Encoded.',
  *variants(body) {
    const text = decode(body).trim()
    if (/^[0-9A-Za-z+/_-]+={0,2}$/.test(text)) yield Buffer.from(text, 'base64')
    yield Buffer.from(Buffer.from(body).toString('base64'))
  },
}

/** URL-encoded, as a form. */
export const urlEncoded: BodyHypothesis = {
  code: 'body_url_encoded',
  says: 'The body here is URL-encoded, as a form is.',
  fix: 'Hand on the raw bytes: a parser for forms, or a proxy, took the JSON for a form.',
  *variants(body) {
    const text = decode(body)
    const plain = text.replaceAll('+', ' ')
    // A parser for forms makes it the name of a field, with nothing behind the = sign.
    for (const each of [text, plain, plain.replace(/=$/, ''), plain.replace(/^[^=]{1,40}=/, '')]) {
      const decoded = decodeUrl(each)
      if (decoded !== undefined) yield Buffer.from(decoded)
    }
  },
}

/** Compressed on the way. */
export const compressed: BodyHypothesis = {
  code: 'body_compressed',
  says: 'The body here is compressed, and the signature is over the bytes before that.',
  fix: 'Switch off compression of requests, or decompress before the check: a proxy compressed it.',
  *variants(body) {
    for (const open of [gunzipSync, inflateSync, brotliDecompressSync]) {
      const opened = attempt(() => open(body, { maxOutputLength: maxOpenedBytes }))
      if (opened) yield opened
    }
  },
}

const maxOpenedBytes = 16 * 1_048_576

function decodeUrl(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text))
}

function parse(body: Uint8Array): unknown {
  return attempt((): unknown => JSON.parse(decode(body)))
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

function decode(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8')
}
