const maxLength = 300

/**
 * Leaves passwords in URLs, queries, tokens, and secrets and keys of the feed out of a text. The path of
 * a file may have an `@` of its own.
 */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/(?<!file):\/\/\S*@/g, '://***@')
    .replaceAll(/(:\/\/[^\s?]*\?)\S*/g, '$1***')
    .replaceAll(/feed_(?:whsec|live|session)_\S*/gi, 'feed_***')
    .replaceAll(/\b(bearer |(?:password|secret|token|key)["']?[=:] ?)\S+/gi, '$1***')
}

/** Makes one line of a text that may go into a log: without secrets, and of 300 characters at most. */
export function redact(text: string): string {
  return withoutSecrets(text.slice(0, 2_000))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, maxLength)
    .toWellFormed()
}
