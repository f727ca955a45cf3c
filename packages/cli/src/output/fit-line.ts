import stringWidth from 'string-width'

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
