import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Hypotheses } from './cause.ts'
import { spellings, unspellings, writeJson } from './json-spellings.ts'

/** How the body here may differ from the bytes that were signed; the cheaper ones first. */
export const bodyHypotheses: Hypotheses<Buffer, string | Uint8Array> = {
  body_trailing_new_line: {
    says: 'The body here and the signed one differ by a new line at the end.',
    fix: 'Keep the exact bytes: editors, echo and here-documents add a new line, and $(…) drops it.',
    variants(body) {
      const text = body.toString('latin1')
      const bare = text.replace(/[\r\n]+$/, '')
      return [bare, `${bare}\n`, `${bare}\r\n`, text.replace(/\r?\n$/, '')].map(fromLatin1)
    },
  },
  body_byte_order_mark: {
    says: 'The body here and the signed one differ by a byte order mark at the beginning.',
    fix: 'Keep the exact bytes: a decoder drops the mark (EF BB BF), and some editors add one.',
    variants: (body) => [
      body.subarray(0, 3).equals(mark) ? body.subarray(3) : Buffer.concat([mark, body]),
    ],
  },
  body_line_ends: {
    says: 'The body here and the signed one differ in their line ends, CRLF and LF.',
    fix: 'Keep the exact bytes: git, editors and text modes change line ends.',
    variants(body) {
      const unix = body.toString('latin1').replaceAll('\r\n', '\n')
      const windows = unix.replaceAll('\n', '\r\n')
      const cut = [unix.replace(/\n+$/, ''), windows.replace(/[\r\n]+$/, '')]
      return [unix, windows, ...cut].map(fromLatin1)
    },
  },
  body_white_space: {
    says: 'The body here and the signed one differ by white space around them.',
    fix: 'Keep the exact bytes: something trims the body, or adds a space.',
    variants(body) {
      const bare = body.toString('latin1').replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
      return [bare, ` ${bare}`, `${bare} `].map(fromLatin1)
    },
  },
  body_escapes: {
    says: 'The body here and the signed one spell characters differently, one with escapes.',
    fix:
      'Sign and check the exact bytes: languages differ in whether they escape /, <, letters ' +
      'beyond ASCII, and the line separators U+2028 and U+2029.',
    *variants(body) {
      const text = body.toString()
      for (const spell of [...spellings, ...unspellings]) yield spell(text)
    },
  },
  body_json_rewritten: {
    says: 'The JSON was parsed and written again, so that its bytes changed: spaces, order or escapes.',
    fix:
      'Check the signature over the raw bytes, before any parser: never over ' +
      'JSON.stringify(request.body).',
    variants(body) {
      const value = parse(body.toString().replace(/^\uFEFF/, ''))
      return value === undefined ? [] : writeJson(value)
    },
  },
  body_json_string: {
    says: 'One side has the body as a text in JSON, in quotes and with escapes: it was written twice.',
    fix: 'Hand on the text itself: JSON.stringify was called on what was JSON already.',
    variants(body) {
      const text = body.toString()
      const value = parse(text)
      return [...(typeof value === 'string' ? [value] : []), JSON.stringify(text)]
    },
  },
  body_buffer_json: {
    says: 'The body here is what JSON.stringify makes of a Buffer: {"type":"Buffer","data":[…]}.',
    fix: 'Hand on the bytes themselves, or store them as Base64.',
    variants(body) {
      const value = parse(body.toString())
      const data = typeof value === 'object' && value && 'data' in value ? value.data : undefined
      return Array.isArray(data) ? [Buffer.from(data.map(Number))] : []
    },
  },
  body_base64: {
    says: 'One side has the body in Base64.',
    fix: 'Decode it first: serverless platforms say so in isBase64Encoded.',
    variants(body) {
      const text = body.toString().trim()
      const isBase64 = /^[0-9A-Za-z+/_-]+={0,2}$/.test(text)
      return [...(isBase64 ? [Buffer.from(text, 'base64')] : []), body.toString('base64')]
    },
  },
  body_url_encoded: {
    says: 'The body here is URL-encoded, as a form is.',
    fix: 'Hand on the raw bytes: a parser for forms, or a proxy, took the JSON for a form.',
    variants(body) {
      const text = body.toString()
      const plain = text.replaceAll('+', ' ')
      // A parser for forms makes it the name of a field, with nothing behind the = sign.
      const values = [text, plain, plain.replace(/=$/, ''), plain.replace(/^[^=]{1,40}=/, '')]
      return values.flatMap((value) => attempt(() => decodeURIComponent(value)) ?? [])
    },
  },
  body_compressed: {
    says: 'The body here is compressed, and the signature is over the bytes before that.',
    fix: 'Switch off compression of requests, or decompress before the check: a proxy compressed it.',
    variants: (body) =>
      [gunzipSync, inflateSync, brotliDecompressSync].flatMap(
        (open) => attempt(() => open(body, { maxOutputLength: 16 * 1_048_576 })) ?? [],
      ),
  },
  body_charset: {
    says: 'The body was read or written as Latin-1 where it is UTF-8.',
    fix: 'Keep the body as bytes and never as text, or say utf8 wherever it becomes one.',
    variants: (body) => [
      fromLatin1(body.toString()),
      body.toString('latin1'),
      body.toString('utf16le'),
      Buffer.from(body.toString(), 'utf16le'),
    ],
  },
  body_normalization: {
    says: 'The body here spells accents in the other Unicode form: as one character, or as two.',
    fix: 'Keep the exact bytes: something on the way normalizes texts.',
    variants: (body) => [body.toString().normalize('NFC'), body.toString().normalize('NFD')],
  },
}

const mark = Buffer.from('\uFEFF')

// Latin-1 has one character for each byte, so that nothing is lost on the way to a text and back.
function fromLatin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function parse(text: string): unknown {
  return attempt((): unknown => JSON.parse(text))
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
