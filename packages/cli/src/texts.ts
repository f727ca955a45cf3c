/** The entries of a table, with its names as their types. */
export function entriesOf<Table extends object>(table: Table) {
  const entries: [keyof Table & string, NonNullable<Table[keyof Table & string]>][] = []
  for (const name in table) {
    const value = table[name]
    if (value) entries.push([name, value])
  }
  return entries
}

/** Fills values into the places of a text, such as `in {durationMs} ms`. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}
