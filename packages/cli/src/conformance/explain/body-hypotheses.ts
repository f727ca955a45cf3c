import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { isError } from '@feed-receiver/core/internal'
import { orUndefined, parseJson } from '../../or-undefined.ts'
import type { Hypothesis } from './cause.ts'
import { spellings, unspellings, writeJson } from './json-spellings.ts'

/** How the body here may differ from the bytes that were signed; the cheaper ones first. */
export const bodyHypotheses: readonly Hypothesis<Buffer, string | Uint8Array>[] = [
  {
    code: 'body_trailing_new_line',
    says: 'This body and the signed body differ by a newline at the end.',
    fix: 'Keep the exact bytes. Editors, echo and here-documents add a newline, and $(…) removes it.',
    variants(body) {
      const text = body.toString('latin1')
      const bare = trimEnd(text, '\r\n')
      return [bare, `${bare}\n`, `${bare}\r\n`, text.replace(/\r?\n$/, '')].map(fromLatin1)
    },
  },
  {
    code: 'body_byte_order_mark',
    says: 'This body and the signed body differ by a byte order mark at the beginning.',
    fix: 'Keep the exact bytes. A decoder removes the mark (EF BB BF), and some editors add one.',
    variants: (body) => [
      body.subarray(0, 3).equals(mark) ? body.subarray(3) : Buffer.concat([mark, body]),
    ],
  },
  {
    code: 'body_line_ends',
    says: 'This body and the signed body differ in their line endings, CRLF and LF.',
    fix: 'Keep the exact bytes. Git, editors and text modes change line endings.',
    variants(body) {
      const unix = body.toString('latin1').replaceAll('\r\n', '\n')
      const windows = unix.replaceAll('\n', '\r\n')
      const cut = [trimEnd(unix, '\n'), trimEnd(windows, '\r\n')]
      return [unix, windows, ...cut].map(fromLatin1)
    },
  },
  {
    code: 'body_white_space',
    says: 'This body and the signed body differ by white space around them.',
    fix: 'Keep the exact bytes. Something trims the body or adds a space.',
    variants(body) {
      const bare = trimEnd(body.toString('latin1').replace(/^[ \t\r\n]+/, ''), ' \t\r\n')
      return [bare, ` ${bare}`, `${bare} `].map(fromLatin1)
    },
  },
  {
    code: 'body_escapes',
    says: 'This body and the signed body write characters differently, one with JSON escapes.',
    fix: 'Sign and verify the exact bytes. Languages differ in whether they escape /, <, non-ASCII letters, and the line separators U+2028 and U+2029.',
    *variants(body) {
      const text = body.toString()
      for (const spell of [...spellings, ...unspellings]) yield spell(text)
    },
  },
  {
    code: 'body_json_rewritten',
    says: 'The JSON was parsed and serialized again, which changed its spaces, order or escapes.',
    fix: 'Verify the signature over the raw body, before any parser, and never over JSON.stringify(request.body).',
    *variants(body) {
      const value = parseJson(body.toString().replace(/^\uFEFF/, ''))
      try {
        if (value !== undefined) yield* writeJson(value)
      } catch (error) {
        // Nested too deeply for the stack, so nothing has serialized it again.
        if (!isError(error) || error.name !== 'RangeError') throw error
      }
    },
  },
  {
    code: 'body_json_string',
    says: 'One side has the body as a JSON string, with quotes and escapes, because it was serialized twice.',
    fix: 'Pass on the text itself. JSON.stringify was called on text that was already JSON.',
    variants(body) {
      const text = body.toString()
      const value = parseJson(text)
      return [...(typeof value === 'string' ? [value] : []), JSON.stringify(text)]
    },
  },
  {
    code: 'body_buffer_json',
    says: 'This body is a Buffer serialized by JSON.stringify: {"type":"Buffer","data":[…]}.',
    fix: 'Pass on the bytes themselves, or store them as Base64.',
    variants(body) {
      const value = parseJson(body.toString())
      const data = typeof value === 'object' && value && 'data' in value ? value.data : undefined
      return Array.isArray(data) ? [Buffer.from(data.map(Number))] : []
    },
  },
  {
    code: 'body_base64',
    says: 'One side has the body in Base64.',
    fix: 'Decode the body first. Serverless platforms indicate this with isBase64Encoded.',
    variants(body) {
      const text = body.toString().trim()
      const isBase64 = /^[0-9A-Za-z+/_-]+={0,2}$/.test(text)
      return [...(isBase64 ? [Buffer.from(text, 'base64')] : []), body.toString('base64')]
    },
  },
  {
    code: 'body_url_encoded',
    says: 'This body is URL-encoded, like a form.',
    fix: 'Pass on the raw body. A form parser or a proxy treated the JSON as a form.',
    variants(body) {
      const text = body.toString()
      const plain = text.replaceAll('+', ' ')
      // A form parser reads the body as the name of a field without a value.
      const values = [text, plain, plain.replace(/=$/, ''), plain.replace(/^[^=]{1,40}=/, '')]
      return values.flatMap((value) => orUndefined(() => decodeURIComponent(value)) ?? [])
    },
  },
  {
    code: 'body_compressed',
    says: 'This body is compressed, but the signature covers the uncompressed body.',
    fix: 'Turn off request compression in the proxy, or decompress the body before you verify it.',
    variants: (body) =>
      [gunzipSync, inflateSync, brotliDecompressSync].flatMap(
        (open) => orUndefined(() => open(body, { maxOutputLength: 16 * 1_048_576 })) ?? [],
      ),
  },
  {
    code: 'body_charset',
    says: 'The UTF-8 body was read or written as Latin-1.',
    fix: 'Keep the body as bytes, or decode and encode it as utf8.',
    variants: (body) => [
      fromLatin1(body.toString()),
      body.toString('latin1'),
      body.toString('utf16le'),
      Buffer.from(body.toString(), 'utf16le'),
    ],
  },
  {
    code: 'body_normalization',
    says: 'This body has accents in another Unicode normalization form than the signed body.',
    fix: 'Keep the exact bytes. Something normalizes Unicode text.',
    variants: (body) => [body.toString().normalize('NFC'), body.toString().normalize('NFD')],
  },
]

/** Removes these characters at the end. A regular expression needs quadratic time for a long run. */
function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

const mark = Buffer.from('\uFEFF')

// Latin-1 has one character for each byte, so the conversion to text and back loses nothing.
function fromLatin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
