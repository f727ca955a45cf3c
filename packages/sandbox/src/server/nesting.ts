/** Whether objects and lists stand within each other more than so many times. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((one) => isNestedDeeper(one, levels - 1))
}
