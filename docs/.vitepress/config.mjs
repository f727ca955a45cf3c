import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { readEntries } from './entries.mjs'
import { anchorOf, pageOf, repository, root, srcExclude } from './pages.mjs'
import { repositoryLinks } from './repository-links.mjs'
import { sidebar } from './sidebar.mjs'

const icon = readFileSync(join(root, 'packages/console/page/src/icon.svg'))

export default defineConfig({
  title: 'feed-receiver',
  description:
    'Receive a signed webhook feed in a Node app. Each event is stored and handled once.',
  lang: 'en',
  // The folder under which the site is served, such as /feed-receiver/ on GitHub Pages.
  base: process.env.DOCS_BASE ?? '/',
  // Pages are the Markdown of the repository where it lies, so that it reads on GitHub as well.
  srcDir: '..',
  srcExclude,
  rewrites: (file) => pageOf(file) ?? file,
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon.toString('base64')}` }],
    ['meta', { name: 'theme-color', content: '#3451b2' }],
  ],
  markdown: {
    // An address in a text is none of the site's links.
    linkify: false,
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: {
    // The index of the search, which is loaded with the first search.
    build: { chunkSizeWarningLimit: 1_500 },
    plugins: [
      repositoryLinks(),
      // llms.txt, llms-full.txt and each page as Markdown.
      llmstxt({ domain: process.env.DOCS_ORIGIN, excludeUnnecessaryFiles: false }),
    ],
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/handlers' },
      { text: 'Frameworks', link: '/frameworks/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Operations', link: '/operations/' },
      { text: 'Proof', link: '/proof' },
    ],
    sidebar: sidebar(readEntries()),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source on GitHub' }],
    footer: { message: 'Released under the MIT License.' },
  },
})
