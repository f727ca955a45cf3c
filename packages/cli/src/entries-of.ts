/** The entries of a table whose names are known, with these names as their types. */
export function entriesOf<Table extends object>(table: Table) {
  const entries: [keyof Table & string, Table[keyof Table & string]][] = []
  for (const name in table) entries.push([name, table[name]])
  return entries
}
