const code = /^```.*?^```$|`[^`\n]*`/gms
const link = /\]\(([^)\s]+)\)/g
const heading = /^#{1,6} (.+)$/gm

/** The links of a Markdown text within its repository, in order. */
export function findLinks(markdown: string): string[] {
  return [...markdown.replace(code, '').matchAll(link)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** The anchors of the headings of a text, like on GitHub. Equal ones appear once. */
export function anchorsOf(markdown: string): Set<string> {
  const text = markdown.replace(/^```.*?^```$/gms, '')
  return new Set([...text.matchAll(heading)].map(([, title]) => anchorOf(title ?? '')))
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
