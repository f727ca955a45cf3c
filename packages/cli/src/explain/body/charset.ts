import type { BodyHypothesis } from '../hypothesis.ts'

/** UTF-8 taken for Latin-1, or written as Latin-1. */
export const charset: BodyHypothesis = {
  code: 'body_charset',
  says: 'The body was read or written as Latin-1 where it is UTF-8.',
  fix: 'Keep the body as bytes and never as text, or say utf8 wherever it becomes one.',
  *variants(body) {
    const bytes = Buffer.from(body)
    yield Buffer.from(bytes.toString('utf8'), 'latin1')
    yield Buffer.from(bytes.toString('latin1'), 'utf8')
    yield Buffer.from(bytes.toString('utf16le'), 'utf8')
    yield Buffer.from(bytes.toString('utf8'), 'utf16le')
  },
}

/** Accents as one character or as two. */
export const normalization: BodyHypothesis = {
  code: 'body_normalization',
  says: 'The body here spells accents in the other Unicode form: as one character, or as two.',
  fix: 'Keep the exact bytes: something on the way normalizes texts.',
  *variants(body) {
    const text = Buffer.from(body).toString('utf8')
    for (const form of ['NFC', 'NFD'] as const) yield Buffer.from(text.normalize(form))
  },
}
