import { visible } from './visible.ts'

/** Lines of a table, its head first; cut to the width of a terminal where there is one. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  columns?: number,
): string[] {
  const cells = [head, ...rows].map((row) => row.map(toCell))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => (columns === undefined ? line : line.slice(0, columns)))
}

/** Lines of names and values, one below the other; what is null or undefined is left out. */
export function formatDetails(
  details: Record<string, string | number | null | undefined>,
): string[] {
  const shown = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${toCell(value ?? null)}`)
}

function toCell(value: string | number | null): string {
  return value === null ? '-' : visible(String(value).replaceAll(/\s+/g, ' '))
}
