import { charset, normalization } from './body/charset.ts'
import { base64, bufferJson, compressed, jsonString, urlEncoded } from './body/encoded.ts'
import { escapes, jsonRewritten } from './body/json-spelling.ts'
import { byteOrderMark, lineEnds, trailingNewLine, whiteSpace } from './body/text-edges.ts'
import type { BodyHypothesis } from './hypothesis.ts'

/** How the body here may differ from the bytes that were signed; the cheaper ones first. */
export const bodyHypotheses: readonly BodyHypothesis[] = [
  trailingNewLine,
  byteOrderMark,
  lineEnds,
  whiteSpace,
  escapes,
  jsonRewritten,
  jsonString,
  bufferJson,
  base64,
  urlEncoded,
  compressed,
  charset,
  normalization,
]
