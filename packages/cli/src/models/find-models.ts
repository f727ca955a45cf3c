import type { TextFile } from './walk-files.ts'

/** A model id in a file. Line and column begin with 1. */
export interface Mention {
  path: string
  line: number
  column: number
  model: string
}

/** What could be an id, with the name of a provider before it or without. */
const token = /[A-Za-z0-9](?:[\w.:@/-]*[A-Za-z0-9])?/g

/** A value that is set for a name that ends in `model`, `model_id` or `modelName`. */
const assigned =
  /(?:--)?model(?:[_-]?(?:id|name))?["'`]?\s{0,20}(?:=>?|:=?|(?<=--model)\s)\s{0,20}(["'`]?)([A-Za-z0-9][\w.:@/-]{0,98}[A-Za-z0-9])\1/gi

/** In other files a value without quotes is an expression. */
const isConfiguration = /(?:^|[/\\])\.env[^/\\]*$|\.(?:ya?ml|toml|ini|cfg|conf|properties|tfvars)$/i

const isFileName =
  /\.(?:[cm]?[jt]sx?|json|py|rb|go|rs|java|vue|svelte|ya?ml|md|html|css|onnx|gguf)$/i

/**
 * Finds the known ids of models in a file, and the values that are set as a model. An id such as
 * `o3` could be a name in code, so it must stand in quotes. A word could be any text, so it must not
 * be the value of another name either.
 */
export function findModels({ path, text }: TextFile, known: ReadonlySet<string>): Mention[] {
  const found = new Map<number, string>()
  for (const match of text.matchAll(token)) {
    const [id] = match
    if (known.has(id) && (!isName.test(id) || isQuotedModel(text, match.index, id))) {
      found.set(match.index, id)
    }
  }
  for (const match of text.matchAll(assigned)) {
    const [whole, quote, id = ''] = match
    const isValue = quote !== '' || whole.startsWith('--') || isConfiguration.test(path)
    if (!isValue || !(isDistinct(id) || known.has(id)) || isFileName.test(id)) continue
    found.set(match.index + whole.length - id.length - (quote?.length ?? 0), id)
  }
  if (found.size === 0) return []
  const lineAt = createLines(text)
  return [...found]
    .toSorted(([a], [b]) => a - b)
    .map(([index, model]) => ({ path, model, ...lineAt(index) }))
}

/** A name in code, which most ids are not, because they contain a hyphen or a dot. */
const isName = /^\w+$/

function isDistinct(id: string): boolean {
  return /[\d-]/.test(id)
}

function isQuotedModel(text: string, index: number, id: string): boolean {
  const quote = text[index - 1] ?? ''
  if (!/["'`]/.test(quote) || text[index + id.length] !== quote) return false
  return isDistinct(id) || !/[:=]\s*$/.test(text.slice(Math.max(0, index - 20), index - 1))
}

/** Counts lines up to growing indices. */
function createLines(text: string) {
  let line = 1
  let start = 0
  return (index: number) => {
    for (let next = text.indexOf('\n', start); next !== -1 && next < index;) {
      line += 1
      start = next + 1
      next = text.indexOf('\n', start)
    }
    return { line, column: index - start + 1 }
  }
}
