import { readdirSync, readFileSync } from 'node:fs'

/**
 * The texts that the code of a folder gives to errors of a class, by their code: the literals in
 * `new SomeError('code', …)`, or in the constant that it gets there. Values are shown in braces.
 */
export function readThrownTexts(folder: string, className: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const thrown = new RegExp(String.raw`new ${className}\(\s*'(\w+)',\s*`, 'g')
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.test)\.ts$/.test(file)) continue
    const source = readFileSync(`${folder}/${file}`, 'utf8')
    for (const match of source.matchAll(thrown)) {
      const [whole, code = ''] = match
      const texts = textsAt(source, match.index + whole.length)
      found.set(code, [...(found.get(code) ?? []), ...texts])
    }
  }
  return found
}

const literal = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g

function textsAt(source: string, start: number): string[] {
  const rest = source.slice(start)
  const own = new RegExp(`^(?:${literal.source})`).exec(rest)
  if (own) return [textOf(own[0])]
  const [, name = ''] = /^(\w+)/.exec(rest) ?? []
  const declared = source.lastIndexOf(`const ${name} =`, start)
  if (name === '' || declared < 0) return []
  const literals = source.slice(declared, start).matchAll(literal)
  return [...literals].map(([quoted]) => textOf(quoted)).filter(isSentence)
}

function isSentence(text: string): boolean {
  return /(?:\S+\s+){3}/.test(text)
}

function textOf(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\$\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g, (_, value: string) => `{${nameOf(value)}}`)
    .replaceAll('\\n', '\n')
    .replaceAll(/\\(.)/g, '$1')
    .trim()
}

/** The last name of an expression, such as `name` of `late.name`. */
function nameOf(value: string): string {
  return /(\w+)[^\w]*$/.exec(value)?.[1] ?? 'value'
}
