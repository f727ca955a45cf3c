import type { Item, Mail } from './store.ts'

export interface RenderedMail {
  subject: string
  markdown: string
  html: string
}

/** Third parties write titles and links, so both are escaped. */
export function renderMail({ items }: Mail): RenderedMail {
  const subject = `${items.length} ${items.length === 1 ? 'change' : 'changes'} at AI providers`
  const sections = [...new Set(items.map(headingOf))].map((heading) => ({
    heading,
    items: items.filter((item) => headingOf(item) === heading),
  }))
  const inMarkdown = sections.map((one) => {
    const lines = one.items.map((item) => `- ${lineOf(item, markdown)}`)
    return `## ${markdown.escape(one.heading)}\n\n${lines.join('\n')}`
  })
  const inHtml = sections.map((one) => {
    const lines = one.items.map((item) => `<li>${lineOf(item, html)}</li>`)
    return `<h2>${html.escape(one.heading)}</h2>\n<ul>\n${lines.join('\n')}\n</ul>`
  })
  return {
    subject,
    markdown: [`# ${subject}`, ...inMarkdown].join('\n\n'),
    html: [`<h1>${subject}</h1>`, ...inHtml].join('\n'),
  }
}

function headingOf({ category, isTakenBack }: Item): string {
  if (isTakenBack) return 'Retracted since an earlier mail'
  if (category === 'api') return 'API'
  return category.charAt(0).toUpperCase() + category.slice(1)
}

interface Format {
  escape(text: string): string
  link(escaped: string, url: string): string
}

const markdown: Format = {
  escape: (text) => oneLine(text).replace(/[\\`*_{}[\]()#+\-.!|<>&~:@]/g, String.raw`\$&`),
  link: (escaped, url) => `[${escaped}](<${url}>)`,
}

const entities = new Map(
  Object.entries({ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }),
)

const html: Format = {
  escape: (text) => oneLine(text).replace(/[&<>"']/g, (one) => `&${entities.get(one)};`),
  link: (escaped, url) => `<a href="${html.escape(url)}">${escaped}</a>`,
}

function lineOf({ provider, title, sourceUrl, observedAt }: Item, { escape, link }: Format) {
  const text = escape(title)
  // Nothing but a web page is a link: not a script, for example.
  const isLink = /^https?:/i.test(sourceUrl) && URL.canParse(sourceUrl)
  const url = isLink && new URL(sourceUrl).href.replace(/</g, '%3C').replace(/>/g, '%3E')
  const linked = url ? link(text, url) : `${text} (${escape(sourceUrl)})`
  return `${escape(provider)}: ${linked}, ${observedAt.toISOString().slice(0, 'YYYY-MM-DD'.length)}`
}

/** Also without marks that turn the direction of the text. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
