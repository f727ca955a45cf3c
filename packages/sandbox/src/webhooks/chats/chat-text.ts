/**
 * Third-party text for a chat (R184): on one line, without control characters and marks that turn the
 * direction of writing, and at most so long.
 */
export function chatText(text: string, maxCharacters: number): string {
  const clean = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .toWellFormed()
    .trim()
  if (clean.length <= maxCharacters) return clean
  // Cut between characters.
  return `${clean.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Escapes as much of a text as fits once it is escaped: its own end, and no half sign, is cut off. */
export function escapeWithin(
  text: string,
  maxCharacters: number,
  escape: (text: string) => string,
): string {
  if (escape(text).length <= maxCharacters) return escape(text)
  let kept = ''
  for (const character of text) {
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
  const link = href.replaceAll(/[|<>\\"'`]/g, percentEncode)
  return link.length <= 2000 ? link : undefined
}

function percentEncode(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`
}
