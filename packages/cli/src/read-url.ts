import { CliError } from './errors.ts'

/** Reads an http or https URL that stands on the command line, under that name. */
export function readUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new CliError(
    'usage',
    `${name} is no http or https URL. Give the whole address of the receiver.`,
  )
}

/** Whether an address is on this machine. */
export function isLocal({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
