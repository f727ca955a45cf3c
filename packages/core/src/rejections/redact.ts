const maxLength = 300

/**
 * Removes passwords in URLs, queries, tokens, and the feed's secrets and keys from a text. Leaves
 * `file:` URLs alone, because the path of a file may contain an `@`. Leaves what advice contains: a
 * prefix such as `feed_whsec_` without more, and an example of a PostgreSQL URL.
 */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(
      /(?<!file):\/\/(?!user:password@(?:host|first):5432[,/])(?:[^\s/:]*:\S*@|[^\s/:@]*@)/g,
      '://***@',
    )
    .replaceAll(/(:\/\/[^\s?]*\?)\S*/g, '$1***')
    .replaceAll(
      /feed_(?:whsec|live|session)_(?!(?:dev_|local_)?[.,:;)`'"]*(?:\s|$))\S+/gi,
      'feed_***',
    )
    .replaceAll(
      /(\b(?:bearer|basic) |(?:password|secret|token|key)["']?[ \t]*[=:][ \t]*)\S+/gi,
      '$1***',
    )
}

/** Redacts a text for a log: one line of at most 300 characters, without secrets. */
export function redact(text: string): string {
  return withoutSecrets(text.slice(0, 2_000))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, maxLength)
    .toWellFormed()
}
