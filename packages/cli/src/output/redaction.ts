/** Takes secrets out of texts. */
export function createRedaction() {
  const hidden = new Set<string>()
  return {
    /** Keeps a text out of everything that is cleaned from now on. */
    hide(text: string): void {
      if (!isTelling(text)) return
      hidden.add(text)
      // As it stands within JSON.
      hidden.add(JSON.stringify(text).slice(1, -1))
    },
    clean(text: string): string {
      // The longest first, since one may be the beginning of another.
      return [...hidden]
        .toSorted((a, b) => b.length - a.length)
        .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
        .replaceAll(secretForm, '[hidden]')
    },
  }
}

/** What every secret or key begins with, which every text may name. */
const prefixes = ['feed_whsec_', 'feed_live_']

/** A secret or a key of the service: a prefix alone, or with a full stop behind it, is none. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\…]*[0-9a-z])[^\s"'<>\\…]+/gi

/**
 * Whether hiding a text protects anything. Shorter than 8 characters it is no secret, and stands in
 * ordinary words; a piece of a prefix, or the name of a variable, stands in what we say ourselves.
 */
function isTelling(text: string): boolean {
  if (text.length < 8 || /^[A-Z]+(?:_[A-Z]+)+$/.test(text)) return false
  return !prefixes.some((prefix) => prefix.includes(text))
}
