/**
 * Third-party text for a chat (R184): on one line, without control characters and marks that turn the
 * direction of writing, and at most so long once it is escaped: no sign is cut in half.
 */
export function chatText(
  text: string,
  maxCharacters: number,
  escape: (text: string) => string = (same) => same,
): string {
  const clean = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .toWellFormed()
    .trim()
  const whole = escape(clean)
  if (whole.length <= maxCharacters) return whole
  let kept = ''
  for (const character of clean) {
    const escaped = escape(character)
    if (kept.length + escaped.length > maxCharacters - 1) break
    kept += escaped
  }
  return `${kept}…`
}

/** The source as a link that nothing in it can break out of, or undefined where it is no web address. */
export function chatLink(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  const link = href.replaceAll(/[|<>\\"`]/g, encodeURIComponent).replaceAll("'", '%27')
  return link.length <= 2000 ? link : undefined
}
