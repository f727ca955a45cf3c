/** Moves the focus to the next or the previous row of a list. */
export function stepThrough(list: Element | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('.row-link') ?? [])]
  const at = links.findIndex((link) => link === document.activeElement)
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
}
