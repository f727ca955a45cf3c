const maxLength = 300

/**
 * Makes one line of a text that may go into a log: passwords in URLs, queries, tokens and signing secrets
 * are left out, and it has 300 characters at most.
 */
export function redact(text: string): string {
  return text
    .slice(0, 2_000)
    .replaceAll(/:\/\/\S*@/g, '://***@')
    .replaceAll(/(:\/\/[^\s?]*\?)\S*/g, '$1***')
    .replaceAll(/feed_whsec_\S*/g, 'feed_whsec_***')
    .replaceAll(/\b(bearer |(?:password|secret|token|key)["']?[=:] ?)\S+/gi, '$1***')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, maxLength)
    .toWellFormed()
}
