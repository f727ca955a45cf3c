import type { Item, Mail } from './store.ts'

export interface RenderedMail {
  subject: string
  markdown: string
  html: string
}

/** Third parties write titles and links, so both are escaped. */
export function renderMail({ items }: Mail): RenderedMail {
  const subject = `${items.length} ${items.length === 1 ? 'change' : 'changes'} at AI providers`
  const sections = [...new Set(items.map(sectionOf))].map((heading) => ({
    heading,
    items: items.filter((item) => sectionOf(item) === heading),
  }))
  return {
    subject,
    markdown: [
      `# ${subject}`,
      ...sections.map((one) =>
        [`## ${escapeMarkdown(one.heading)}\n`, ...one.items.map(toMarkdown)].join('\n'),
      ),
    ].join('\n\n'),
    html: [
      `<h1>${subject}</h1>`,
      ...sections.map((one) => {
        const rows = one.items.map(toHtml).join('\n')
        return `<h2>${escapeHtml(one.heading)}</h2>\n<ul>\n${rows}\n</ul>`
      }),
    ].join('\n'),
  }
}

function sectionOf({ category, isTakenBack }: Item): string {
  if (isTakenBack) return 'Retracted since an earlier mail'
  if (category === 'api') return 'API'
  return category.charAt(0).toUpperCase() + category.slice(1)
}

function toMarkdown({ provider, title, sourceUrl, observedAt }: Item): string {
  const url = linkTo(sourceUrl)
  const text = escapeMarkdown(title)
  const linked = url === null ? `${text} (${escapeMarkdown(sourceUrl)})` : `[${text}](<${url}>)`
  return `- ${escapeMarkdown(provider)}: ${linked}, ${dayOf(observedAt)}`
}

function toHtml({ provider, title, sourceUrl, observedAt }: Item): string {
  const url = linkTo(sourceUrl)
  const text = escapeHtml(title)
  const linked =
    url === null ? `${text} (${escapeHtml(sourceUrl)})` : `<a href="${escapeHtml(url)}">${text}</a>`
  return `<li>${escapeHtml(provider)}: ${linked}, ${dayOf(observedAt)}</li>`
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** Null for anything but a web page, such as a script. */
function linkTo(sourceUrl: string): string | null {
  if (!/^https?:/i.test(sourceUrl) || !URL.canParse(sourceUrl)) return null
  return new URL(sourceUrl).href.replaceAll('<', '%3C').replaceAll('>', '%3E')
}

function escapeMarkdown(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_{}[\]()#+\-.!|<>&~:@]/g, String.raw`\$&`)
}

function escapeHtml(text: string): string {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return Object.entries(entities).reduce(
    (escaped, [character, entity]) => escaped.replaceAll(character, entity),
    oneLine(text),
  )
}

/** Also without marks that turn the direction of the text. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
