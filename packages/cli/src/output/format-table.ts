import stringWidth from 'string-width'
import type { Output } from './output.ts'

type Cell = string | number | null | undefined

/**
 * Formats rows as a table with the names of the cells as its head, cut to the width of a terminal
 * if there is one. No rows give no lines.
 */
export function formatTable(rows: readonly Record<string, Cell>[], columns?: number): string[] {
  if (rows.length === 0) return []
  const heads = Object.keys(rows[0] ?? {})
  const cells = [heads, ...rows.map((row) => heads.map((head) => toCell(row[head])))]
  const widths = heads.map((_, at) => Math.max(...cells.map((row) => stringWidth(row[at] ?? ''))))
  return cells.map((row) => {
    const line = row.map((cell, at) => pad(cell, widths[at] ?? 0)).join('  ')
    return fitLine(line.trimEnd(), columns)
  })
}

export function printPage(
  out: Output,
  page: { next: number | null; searchedBackTo?: string | null },
  rows: readonly Record<string, Cell>[],
): void {
  out.result(page, ...formatTable(rows, out.columns))
  if (page.searchedBackTo) out.hint(`Searched back to ${page.searchedBackTo}.`)
  else if (rows.length === 0) out.hint('No rows.')
  if (page.next !== null) out.hint(`More rows: add --after ${page.next}`)
}

/** Lines of names and values. Null and undefined values are left out. */
export function formatDetails(details: Record<string, Cell>): string[] {
  const shown = Object.entries(details).filter(([, value]) => (value ?? null) !== null)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${toCell(value)}`)
}

/** Groups of lines below their titles, which may be empty. Empty groups are left out. */
export function formatSections(sections: readonly [title: string, lines: string[]][]): string[] {
  return sections.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines],
  )
}

/**
 * As much of a line as fits into the columns of the terminal, if there is one. A Chinese character
 * takes two columns, and no character is cut in two.
 *
 * @param ending Text that stands for the rest of a line that was cut.
 */
export function fitLine(line: string, columns = Infinity, ending = ''): string {
  if (stringWidth(line) <= columns) return line
  const room = columns - stringWidth(ending)
  let shown = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment)
    if (width > room) break
    shown += segment
  }
  return shown + ending
}

/** Pads a text to a number of columns. A Chinese character takes two of them. */
function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

function toCell(value: Cell): string {
  return oneLine(String(value ?? '-'))
}

/** Untrusted text as part of one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
