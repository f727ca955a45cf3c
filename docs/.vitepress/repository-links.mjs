import { leadTo } from './pages.mjs'

const codeOrLink = /^```.*?^```$|`[^`\n]*`|(?<=\]\()([^)\s]+)(?=\))/gms
const image = /\.(?:png|svg|webp)$/

/** A plugin of Vite that has links between files of the repository lead to pages of the site. */
export function repositoryLinks() {
  return {
    name: 'repository-links',
    enforce: 'pre',
    transform: (text, id) => (id.endsWith('.md') ? relink(text, id) : undefined),
  }
}

/** A page whose links, written for GitHub, are those of the site. Images stay where they lie. */
export function relink(text, file) {
  return text.replace(codeOrLink, (whole, link) =>
    link === undefined || image.test(link) ? whole : (leadTo(link, file) ?? whole),
  )
}
