/**
 * A text from outside without what a terminal would obey: control characters, and marks that turn
 * the direction of the text. New lines stay.
 */
export function visible(text: string): string {
  return text.replaceAll(obeyed, '\uFFFD')
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const obeyed = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
