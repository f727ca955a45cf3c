import { CliError } from './errors.ts'
import { readBytes, readHeaders, type Piped } from './read-delivery.ts'

/** Headers from a file: JSON, or a line each, such as `curl -v` and log files have them. */
export async function readHeaderFile(path: string, piped: Piped): Promise<Record<string, string>> {
  const text = new TextDecoder().decode(await readBytes(path, piped))
  const headers = readHeaders(parseJson(text) ?? readLines(text))
  if (Object.keys(headers).length > 0) return headers
  throw new CliError(
    'unreadable_file',
    `${path} has no headers: it is JSON, or a line "Name: value" for each.`,
  )
}

function readLines(text: string): [string, string][] {
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value] = /^[<>*\s]*([A-Za-z0-9-]+)\s*:\s?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
