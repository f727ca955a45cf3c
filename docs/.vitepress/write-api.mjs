// Writes a page for each entry point, from the docstrings, by TypeDoc.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { readEntries } from './entries.mjs'
import { root } from './pages.mjs'

const entries = readEntries()
const folder = join(root, 'docs/reference/generated/api')
const app = await Application.bootstrapWithPlugins({
  entryPoints: entries.map(({ source }) => source),
  tsconfig: join(root, 'docs/tsconfig.json'),
  plugin: ['typedoc-plugin-markdown'],
  outputs: [{ name: 'markdown', path: folder }],
  router: 'module',
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  // `npm run check` holds the types; here they are only read.
  skipErrorChecking: true,
  logLevel: 'Warn',
  validation: false,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  useCodeBlocks: true,
  sanitizeComments: true,
  entryFileName: 'index',
})

const project = await app.convert()
if (!project) throw new Error('TypeDoc could not read the packages.')
for (const module of project.children ?? []) {
  // TypeDoc calls it by its path, such as core/src/web.
  const entry = entries.find(({ source }) =>
    new RegExp(`/packages/${module.name}(?:/index)?\\.ts$`).test(source),
  )
  if (!entry) throw new Error(`${module.name} is no entry point of a package.`)
  module.name = entry.file
}
await app.generateOutputs(project)
if (app.logger.hasErrors()) process.exit(1)

// Links of TypeDoc go by file names, readers by the names that they import.
for (const { name, file } of entries) {
  const path = join(folder, `${file}.md`)
  const head = `---\ndescription: ${JSON.stringify(`Everything that ${name} exports.`)}\n---\n\n`
  const text = readFileSync(path, 'utf8')
    .replace(/^# .*/, `# ${name}`)
    // It takes a member for a heading, as if `Inbox.health` were another `InboxHealth`.
    .replaceAll(/(#\w+)-1\b/g, '$1')
  writeFileSync(path, head + text)
}
rmSync(join(folder, 'index.md'))
