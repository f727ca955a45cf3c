/** A copy of `base` with what `changes` gives in place; what is undefined there stays as it was. */
export function layOver<Whole extends object>(
  base: Whole,
  changes: { [Name in keyof Whole]?: Whole[Name] | undefined },
): Whole {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.assign({ ...base }, Object.fromEntries(given))
}
