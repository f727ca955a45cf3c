import type { BodyHypothesis } from '../hypothesis.ts'

/** A new line at the end, more or less. */
export const trailingNewLine: BodyHypothesis = {
  code: 'body_trailing_new_line',
  says: 'The body here and the signed one differ by a new line at the end.',
  fix: 'Keep the exact bytes: editors, echo and here-documents add a new line, and $(…) drops it.',
  *variants(body) {
    const text = latin1(body)
    const bare = text.replace(/[\r\n]+$/, '')
    for (const each of [bare, `${bare}\n`, `${bare}\r\n`, text.replace(/\r?\n$/, '')]) {
      yield bytes(each)
    }
  },
}

/** A byte order mark at the beginning, more or less. */
export const byteOrderMark: BodyHypothesis = {
  code: 'body_byte_order_mark',
  says: 'The body here and the signed one differ by a byte order mark at the beginning.',
  fix: 'Keep the exact bytes: a decoder drops the mark (EF BB BF), and some editors add one.',
  *variants(body) {
    const text = latin1(body)
    yield bytes(text.startsWith(mark) ? text.slice(mark.length) : mark + text)
  },
}

/** CRLF in place of LF, or the other way round. */
export const lineEnds: BodyHypothesis = {
  code: 'body_line_ends',
  says: 'The body here and the signed one differ in their line ends, CRLF and LF.',
  fix: 'Keep the exact bytes: git, editors and text modes change line ends.',
  *variants(body) {
    const unix = latin1(body).replaceAll('\r\n', '\n')
    const windows = unix.replaceAll('\n', '\r\n')
    yield bytes(unix)
    yield bytes(windows)
    yield bytes(unix.replace(/\n+$/, ''))
    yield bytes(windows.replace(/[\r\n]+$/, ''))
  },
}

/** White space that somebody trimmed, or did not. */
export const whiteSpace: BodyHypothesis = {
  code: 'body_white_space',
  says: 'The body here and the signed one differ by white space around them.',
  fix: 'Keep the exact bytes: something trims the body, or adds a space.',
  *variants(body) {
    const bare = latin1(body).replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
    for (const each of [bare, ` ${bare}`, `${bare} `]) yield bytes(each)
  },
}

const mark = '\u00EF\u00BB\u00BF'

// One character for each byte, so that nothing is lost on the way.
function latin1(body: Uint8Array): string {
  return Buffer.from(body).toString('latin1')
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
