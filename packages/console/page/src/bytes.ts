/** Decodes Base64. */
export function fromBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Decodes UTF-8. Invalid bytes become replacement characters. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** A value as JSON with sorted members, so that two values can be compared line by line. */
export function toSortedJson(value: unknown): string {
  try {
    return JSON.stringify(value, sortMembers, 2)
  } catch {
    return '(nested too deep to be shown)'
  }
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
