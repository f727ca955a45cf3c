/** A table of Markdown; cells are Markdown, too. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Plain text, as it stands in Markdown and in a cell of a table. */
export function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/([\\*[\]|])/g, String.raw`\$1`)
    .replaceAll('{{', '&#123;&#123;')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(`[^`]*`)/g, (span) => unescapeSpan(span))
}

/** Code in a line or in a cell. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``
}

/** Code that a link can lead to. */
export function anchor(id: string, text: string): string {
  return `<a id="${id}" href="#${id}">${code(text)}</a>`
}

/** Code within plain text needs no escapes but that of a cell. */
function unescapeSpan(span: string): string {
  return span
    .replaceAll(/\\([\\*[\]])/g, '$1')
    .replaceAll('&#123;', '{')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

/** The head of a page, with what search engines and language models are told of it. */
export function page(title: string, description: string, ...parts: string[]): string {
  const head = `---\ndescription: ${JSON.stringify(description)}\n---\n\n# ${title}\n\n${description}`
  return `${[head, ...parts].join('\n\n')}\n`
}
