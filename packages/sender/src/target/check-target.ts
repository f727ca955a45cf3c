import { isIP } from 'node:net'
import { checkAddress, type TargetRules } from './check-address.ts'
import { SenderError } from '../errors.ts'

/**
 * Refuses a URL that deliveries must not go to, as far as its text can tell: https only (R176), no
 * credentials (R177), and no local name and no address but a public one, in whatever spelling (R178).
 * What a name resolves to is checked at every connect.
 *
 * @returns the URL, read.
 * @throws SenderError `invalid_destination`, or `blocked_address` for an address; neither quotes it.
 */
export function checkTarget(to: string | URL, { allowLocal = false }: TargetRules = {}): URL {
  // The parser folds octal, hexadecimal, decimal and full-width digits to the one spelling.
  const url = parseUrl(to)
  if (url?.protocol !== 'https:' && !(allowLocal && url?.protocol === 'http:')) {
    const schemes = allowLocal ? 'http or https' : 'https'
    throw invalid(`is no ${schemes} URL`, `Give the whole address, such as ${example}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('holds credentials', 'Remove them: the signature is what tells who sends.')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) checkAddress(host, { allowLocal })
  else if (!allowLocal && isLocalName(host)) {
    throw invalid(
      'names a host of this machine or a private network',
      `Give a public one, such as ${example}, or, in development, set \`allowLocal\`.`,
    )
  }
  return url
}

// Not URL.canParse: after some thousand calls, that of Node 20 rejects characters such as ü.
function parseUrl(text: string | URL): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const example = 'https://app.example.com/feed'

/** A name without a dot is found only by way of a private network's search list. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  return !name.includes('.') || localNames.test(name)
}

const localNames = /\.(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

// The URL is not quoted: it may hold a token or a password.
function invalid(problem: string, advice: string): SenderError {
  return new SenderError('invalid_destination', `The target ${problem}.`, { advice })
}
