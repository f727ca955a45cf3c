/** The bytes of a text in Base64. */
export function fromBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Bytes as text; what is no UTF-8 is shown as such. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** JSON with a line for each member; null where the text is none. */
export function toPretty(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}
