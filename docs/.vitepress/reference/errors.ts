import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anchor, page, plain, table } from './markdown.ts'
import { readThrownTexts } from './thrown-texts.ts'

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url))

/** Classes of errors by the package that throws them. */
export const errorClasses = {
  core: 'FeedReceiverError',
  database: 'DatabaseError',
  inbox: 'InboxError',
  operate: 'OperateError',
  shards: 'ShardError',
  client: 'ClientError',
  sender: 'SenderError',
  sandbox: 'SandboxError',
  console: 'ConsoleError',
  cli: 'CliError',
  'create-feed-receiver': 'CreateError',
}

/** Every error of the kit by its code, with its comment and its texts. */
export function renderErrors(): string {
  return page(
    'Errors by code',
    'Every error that the packages throw, by class and code, with the text that says what to do.',
    'Branch on `code`, which is stable, and show `message` to people. Words in braces are filled in. ' +
      'The codes of answers over HTTP are on [their own page](./http.md). ' +
      'Messages of the library packages end with a link to their entry here.',
    ...Object.entries(errorClasses).map(([folder, name]) => renderClass(folder, name)),
  )
}

function renderClass(folder: string, name: string): string {
  const source = readFileSync(`${packages}${folder}/src/errors.ts`, 'utf8')
  const texts = readThrownTexts(`${packages}${folder}/src`, name)
  const rows = codesOf(source).map((one) => {
    const comment = commentOf(source, one)
    const messages = [...new Set([comment ?? [], texts.get(one) ?? []].flat())]
    if (messages.length === 0) throw new Error(`${one} of ${name} has no comment and no text.`)
    return [anchor(`${folder}-${one}`, one), messages.map(plain).join('<br><br>')]
  })
  return `## ${name}\n\n${table(['code', 'message'], rows)}`
}

/** The codes of the union in errors.ts. */
function codesOf(source: string): string[] {
  const [, union = ''] = /export type \w+Code =([\s\S]*?)\n\n/.exec(source) ?? []
  return [...new Set([...union.matchAll(/'(\w+)'/g)].map(([, one = '']) => one))].toSorted()
}

/** The comment above a code in the union, where there is one. */
function commentOf(source: string, one: string): string | undefined {
  return new RegExp(String.raw`/\*\* (.*) \*/\n\s*\| '${one}'`).exec(source)?.[1]
}
