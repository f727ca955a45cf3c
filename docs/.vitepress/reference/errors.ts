import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import notes from './error-notes.json' with { type: 'json' }
import { anchor, page, plain, table } from './markdown.ts'

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url))

/** Classes of errors by the package that throws them. */
const errorClasses = {
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

/** Every error of the kit by its code, with its text or a note. */
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
  const texts = readTexts(folder)
  const used = textsByCode(folder, name)
  const rows = codesOf(source, texts).map((one) => {
    const found = [texts.get(one), ...(used.get(one) ?? []).map((text) => texts.get(text))]
    const said = [...new Set([...found.flatMap((text) => text ?? []), ...commentOf(source, one)])]
    const note = readNote(`${folder}.${one}`)
    if (said.length === 0 && note === undefined) {
      throw new Error(`error-notes.json has no ${folder}.${one}, which has no text of its own.`)
    }
    const messages = said.length === 0 ? [note ?? ''] : said
    return [anchor(`${folder}-${one}`, one), messages.map(plain).join('<br><br>')]
  })
  return `## ${name}\n\n${table(['code', 'message'], rows)}`
}

/** The codes of the union in errors.ts, and those that its errors.json adds. */
function codesOf(source: string, texts: Map<string, string[]>): string[] {
  const [, union = ''] = /export type \w+Code =([\s\S]*?)\n\n/.exec(source) ?? []
  const named = [...union.matchAll(/'(\w+)'/g)].map(([, one = '']) => one)
  const all = /keyof /.test(union) ? [...texts.keys(), ...named] : named
  return [...new Set(all)].toSorted()
}

/** The texts of errors.json, by code; where a code has several, all of them. */
function readTexts(folder: string): Map<string, string[]> {
  const path = `${packages}${folder}/src/errors.json`
  try {
    const json: Record<string, string | Record<string, string>> = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    return new Map(
      Object.entries(json).map(([name, text]) => [
        name,
        typeof text === 'string' ? [text] : Object.values(text),
      ]),
    )
  } catch {
    return new Map()
  }
}

/** Which texts the code of a package gives to errors of another code: `new …Error('bad_target', say('bad_url'` */
function textsByCode(folder: string, name: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const thrown = new RegExp(String.raw`new ${name}\(\s*'(\w+)',\s*say\('(\w+)'`, 'g')
  for (const file of readdirSync(`${packages}${folder}/src`, { recursive: true })) {
    if (typeof file !== 'string' || !/(?<!\.test)\.ts$/.test(file)) continue
    const source = readFileSync(`${packages}${folder}/src/${file}`, 'utf8')
    for (const [, one = '', text = ''] of source.matchAll(thrown)) {
      found.set(one, [...(found.get(one) ?? []), text])
    }
  }
  return found
}

/** The comment above a code in the union, where there is one. */
function commentOf(source: string, one: string): string[] {
  const [, comment] = new RegExp(String.raw`/\*\* (.*) \*/\n\s*\| '${one}'`).exec(source) ?? []
  return comment === undefined ? [] : [comment]
}

function readNote(name: string): string | undefined {
  return new Map(Object.entries(notes)).get(name)
}
