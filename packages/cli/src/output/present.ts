/** The lines that there are, such as `isLate && 'It was late.'`. */
export function present(...lines: (string | false | null | undefined)[]): string[] {
  return lines.filter((line) => typeof line === 'string')
}
