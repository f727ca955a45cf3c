import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { orUndefined, parseJson } from '../or-undefined.ts'
import type { Hypotheses } from './cause.ts'
import { spellings, unspellings, writeJson } from './json-spellings.ts'

/** How the body here may differ from the bytes that were signed; the cheaper ones first. */
export const bodyHypotheses: Hypotheses<Buffer, string | Uint8Array> = {
  body_trailing_new_line(body) {
    const text = body.toString('latin1')
    const bare = text.replace(/[\r\n]+$/, '')
    return [bare, `${bare}\n`, `${bare}\r\n`, text.replace(/\r?\n$/, '')].map(fromLatin1)
  },
  body_byte_order_mark: (body) => [
    body.subarray(0, 3).equals(mark) ? body.subarray(3) : Buffer.concat([mark, body]),
  ],
  body_line_ends(body) {
    const unix = body.toString('latin1').replaceAll('\r\n', '\n')
    const windows = unix.replaceAll('\n', '\r\n')
    const cut = [unix.replace(/\n+$/, ''), windows.replace(/[\r\n]+$/, '')]
    return [unix, windows, ...cut].map(fromLatin1)
  },
  body_white_space(body) {
    const bare = body.toString('latin1').replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
    return [bare, ` ${bare}`, `${bare} `].map(fromLatin1)
  },
  *body_escapes(body) {
    const text = body.toString()
    for (const spell of [...spellings, ...unspellings]) yield spell(text)
  },
  body_json_rewritten(body) {
    const value = parseJson(body.toString().replace(/^\uFEFF/, ''))
    return value === undefined ? [] : writeJson(value)
  },
  body_json_string(body) {
    const text = body.toString()
    const value = parseJson(text)
    return [...(typeof value === 'string' ? [value] : []), JSON.stringify(text)]
  },
  body_buffer_json(body) {
    const value = parseJson(body.toString())
    const data = typeof value === 'object' && value && 'data' in value ? value.data : undefined
    return Array.isArray(data) ? [Buffer.from(data.map(Number))] : []
  },
  body_base64(body) {
    const text = body.toString().trim()
    const isBase64 = /^[0-9A-Za-z+/_-]+={0,2}$/.test(text)
    return [...(isBase64 ? [Buffer.from(text, 'base64')] : []), body.toString('base64')]
  },
  body_url_encoded(body) {
    const text = body.toString()
    const plain = text.replaceAll('+', ' ')
    // A form parser reads the body as the name of a field without a value.
    const values = [text, plain, plain.replace(/=$/, ''), plain.replace(/^[^=]{1,40}=/, '')]
    return values.flatMap((value) => orUndefined(() => decodeURIComponent(value)) ?? [])
  },
  body_compressed: (body) =>
    [gunzipSync, inflateSync, brotliDecompressSync].flatMap(
      (open) => orUndefined(() => open(body, { maxOutputLength: 16 * 1_048_576 })) ?? [],
    ),
  body_charset: (body) => [
    fromLatin1(body.toString()),
    body.toString('latin1'),
    body.toString('utf16le'),
    Buffer.from(body.toString(), 'utf16le'),
  ],
  body_normalization: (body) => [
    body.toString().normalize('NFC'),
    body.toString().normalize('NFD'),
  ],
}

const mark = Buffer.from('\uFEFF')

// Latin-1 has one character for each byte, so the conversion to text and back loses nothing.
function fromLatin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
