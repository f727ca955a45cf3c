import { causesOf, memberOf, messagesOf } from './causes.ts'
import { ClientError } from './errors.ts'
import type { Answer } from './send.ts'

/** Makes the error for a request that got no usable answer in all its attempts. */
export function unavailable(
  path: string,
  failures: number,
  last: Answer | { cause: unknown },
  key: string,
): ClientError {
  const [seen, fix] = 'status' in last ? describeAnswer(last, key) : describeCause(last.cause, key)
  const message = `${path} failed ${failures} times in a row. ${seen}. ${fix}`
  return new ClientError('unavailable', message, last)
}

type Described = [seen: string, fix: string]

const later = 'Try again later.'

function describeAnswer({ status, headers }: Answer, key: string): Described {
  if (status !== 200) return [`The last answer was ${status}`, later]
  const type = clean(headers.get('content-type') ?? '', key)
  return [
    `The last answer was 200 with ${type === '' ? 'no content type' : type}, and no JSON`,
    'Check that baseUrl is the URL of the service, and that no proxy or login page answers instead.',
  ]
}

/** What to do about a failure of the network, by its code. */
const fixes: [code: RegExp, fix: string][] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'Check the host name in baseUrl, and the DNS of this machine.'],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    'Check the host and port in baseUrl, and that a firewall or proxy lets this machine reach them.',
  ],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$|^EPROTO$/,
    'Check the port in baseUrl, and whether it should begin with http instead of https.',
  ],
  [
    /CERT|^UNABLE_TO_|^ERR_TLS|^ERR_SSL/,
    'Check the certificate of the service or proxy; NODE_EXTRA_CA_CERTS adds an authority of your own.',
  ],
]

function describeCause(error: unknown, key: string): Described {
  const codes = causesOf(error)
    .map((one) => memberOf(one, 'code'))
    .filter((code) => typeof code === 'string')
  const said = clean(messagesOf(error).at(-1) ?? 'unknown cause', key).replace(/\.$/, '')
  const code = codes.at(-1)
  const seen = code === undefined || said.includes(code) ? said : `${said} (${clean(code, key)})`
  const known = fixes.find(([pattern]) => codes.some((one) => pattern.test(one)))
  return [`The last request got no complete answer: ${seen}`, known?.[1] ?? later]
}

/** External text on its way into one line of a log, without the key. */
function clean(text: string, key: string): string {
  return text
    .replaceAll(key, '[key]')
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
