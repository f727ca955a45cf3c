import { lookup } from 'node:dns/promises'
import { BlockList, isIPv4 } from 'node:net'
import { ok, warning, type Finding } from './finding.ts'

/** Says whether the service would take this address for a destination (R176–R178). */
export async function checkAddress(url: URL): Promise<Finding> {
  const problem = findProblem(url) ?? (await findPrivate(url))
  if (problem === undefined) return ok('address', 'The service accepts it: public, and https.')
  return warning(
    'address',
    `The service refuses it as a destination: ${problem}.`,
    'Register the public https address of the app; for a look from this machine it does not matter.',
  )
}

function findProblem({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:') return 'it is not https'
  if (username !== '' || password !== '') return 'it has a user or a password in it'
  return undefined
}

async function findPrivate({ hostname }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) return 'its host has no address'
  return found.some(({ address }) => isPrivate(address))
    ? 'its host is in a local or private network'
    : undefined
}

function isPrivate(address: string): boolean {
  return privateNetworks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

const privateNetworks = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv6')
}
