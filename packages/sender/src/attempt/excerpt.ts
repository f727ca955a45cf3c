export interface ExcerptOptions {
  maxCharacters: number
  /** Strings that must not show, such as the secret; a receiver may echo what it was sent. */
  hidden: readonly string[]
  /** Whether `text` was cut off already, so that a hidden string may have lost its end. */
  isCut?: boolean
}

/**
 * The beginning of a text that came from outside, fit for a record: without secrets and signatures,
 * and without NUL and half characters, which PostgreSQL refuses.
 */
export function excerpt(
  text: string,
  { maxCharacters, hidden, isCut = false }: ExcerptOptions,
): string {
  const clean = hidden
    .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
    .replaceAll(secretForm, '[hidden]')
    .replaceAll('\0', '\uFFFD')
  const whole = isCut ? withoutBeginning(clean, hidden) : clean
  return whole.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
}

/** A secret, an API key or a signature; a prefix alone tells nothing, and may explain a refusal. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\]*[0-9a-z])[^\s"'<>\\]*|v1=[0-9a-f]+/gi

// A shorter piece gives nothing away, and may well be something else.
const telling = 8

/** Drops the end of the text where a hidden string begins there. */
function withoutBeginning(text: string, hidden: readonly string[]): string {
  const longest = Math.max(0, ...hidden.map(({ length }) => length))
  for (let length = longest; length >= telling; length--) {
    const end = text.slice(-length)
    if (hidden.some((each) => each.startsWith(end))) return text.slice(0, -length)
  }
  return text
}
