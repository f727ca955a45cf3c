import { readPackages, type Package } from '../../../test/repo/check/workspaces.ts'
import { code, page, plain, table } from './markdown.ts'

/** The first page of the reference: what there is, and the entry points of each package. */
export function renderOverview(): string {
  return page(
    'Reference',
    'Everything that the packages export, answer, print and store, made from their source.',
    [
      '- [Event catalogue](../../events.md): every event type with an example',
      '- [Command line](./cli.md): every command with its options',
      '- [HTTP answers](./http.md): every status of the receiver with its reason',
      '- [Errors by code](./errors.md): every error with what to do',
      '- [Tables](./tables.md): the tables of the inbox with their columns',
    ].join('\n'),
    '## API',
    table(['import', 'package'], [...readPackages()].flatMap(rowsOf)),
  )
}

function rowsOf([folder, { manifest }]: [string, Package]): string[][] {
  const entries = Object.keys(manifest.exports ?? {}).filter((entry) => entry !== './internal')
  return entries.map((entry) => {
    const name = entry === '.' ? manifest.name : `${manifest.name}${entry.slice(1)}`
    const file = entry === '.' ? folder : `${folder}-${entry.slice(2)}`
    const about = entry === '.' ? plain(manifest.description ?? '') : ''
    return [`[${code(name)}](./api/${file}.md)`, about]
  })
}
