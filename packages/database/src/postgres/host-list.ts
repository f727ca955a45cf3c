import { DatabaseError } from '../errors.ts'

export interface Host {
  /** The name for error messages: without user and password. */
  name: string
  connectionString: string
}

/** The required kind of server, in the words of libpq. */
export type SessionAttributes = 'any' | 'read-write' | 'primary'

interface HostList {
  hosts: Host[]
  attributes: SessionAttributes
}

/**
 * Reads the hosts of a URL as libpq does: `a:5432,b:5433`, or lists in the parameters `host` and
 * `port`. node-postgres supports only one host. Errors: `bad_target`.
 */
export function readHosts(connectionString: string): HostList {
  const [beforeQuery = '', query = ''] = connectionString.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const [, start = '', authority = '', path = ''] =
    /^([^/]*\/\/(?:[^/#]*@)?)([^/#]*)([^]*)$/.exec(beforeQuery) ?? []
  const named = parameters.get('host')
  const addresses = named === null ? authority.split(',') : readParameters(named, parameters)
  // With several hosts, `any` may lead to a standby, where every write would fail.
  const byDefault = addresses.length === 1 ? 'any' : 'primary'
  const attributes = readAttributes(parameters.get('target_session_attrs') ?? byDefault)
  if (addresses.length === 1) {
    return { hosts: [{ name: nameOf(addresses[0]), connectionString }], attributes }
  }
  if (addresses.some((address) => address === '' || address.startsWith(':'))) {
    throw new DatabaseError(
      'bad_target',
      'One of the hosts in the PostgreSQL URL is empty. Separate several hosts with commas: postgres://user:password@first:5432,second:5432/name.',
    )
  }
  parameters.delete('host')
  parameters.delete('port')
  const rest = parameters.size === 0 ? path : `${path}?${parameters.toString()}`
  const hosts = addresses.map((address) => ({
    name: nameOf(address),
    connectionString: start + address + rest,
  }))
  return { hosts, attributes }
}

function readAttributes(given: string): SessionAttributes {
  if (given === 'any' || given === 'read-write' || given === 'primary') return given
  // Not quoted, because in a malformed URL it may be a part of the password.
  const isReading = ['read-only', 'standby', 'prefer-standby'].includes(given)
  const what = isReading ? `${given} selects a read-only server` : 'its value is unknown'
  throw new DatabaseError(
    'bad_target',
    `The PostgreSQL URL has an unsupported target_session_attrs: ${what}. Use read-write, primary or any.`,
  )
}

function readParameters(hosts: string, parameters: URLSearchParams): string[] {
  const ports = (parameters.get('port') ?? '').split(',')
  return hosts.split(',').map((host, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index]
    const address = host.includes(':') ? `[${host}]` : encodeURIComponent(host)
    return host === '' || !port ? address : `${address}:${port}`
  })
}

function nameOf(address = ''): string {
  const name = address.replaceAll('%2F', '/')
  return /:\d+$/.test(name) ? name : `${name || 'localhost'}:5432`
}
