import { existsSync, readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture, type AttemptRecord } from '@feed-receiver/sender'
import { probeTarget } from '@feed-receiver/sender/internal'
import { readEnvFile } from '../env-file.ts'
import { orUndefined } from '../or-undefined.ts'
import { readOwnAnswer } from '../conformance/traps/find-trap.ts'

/** The result of trying one candidate URL. */
export interface Tried {
  url: string
  /** The response to a signed test delivery; null if nothing listens there. */
  answer: AttemptRecord | null
}

interface Search {
  /** The URLs to try. Called again for each round. */
  candidates: () => string[]
  secret: string
  /**
   * Called with all tried URLs each time that the results of a round differ from those reported
   * last, once they have stayed the same for a few seconds: an app that starts answers for a moment
   * as if it had no route.
   */
  onNotFound: (tried: Tried[]) => void
  signal: AbortSignal
}

const roundMs = 250
const stableMs = 2_500
const knownMs = 2_000

/**
 * Polls the candidates until a receiver answers a signed test delivery. It answers with 2xx, or
 * with an error code that only a receiver of this kit gives, for example for a wrong secret.
 *
 * @throws the reason of the signal.
 */
export async function findApp({ candidates, secret, onNotFound, signal }: Search): Promise<string> {
  await using sender = createSender({ secret })
  let reported = ''
  let last = { found: '', since: 0 }
  for (;;) {
    signal.throwIfAborted()
    const tried: Tried[] = []
    for (const [origin, urls] of byOrigin(candidates())) {
      const isListening =
        (await probeTarget(origin, { allowLocal: true, deadlineMs: roundMs })) === null
      for (const url of urls) {
        const answer = isListening ? await sender.attempt(makeTest(), { to: url, signal }) : null
        if (answer && isReceiver(answer)) return url
        tried.push({ url, answer })
      }
    }
    const found = tried.map(({ url, answer }) => `${url} ${String(answer?.status)}`).join('\n')
    if (found !== last.found) last = { found, since: performance.now() }
    if (found !== reported && performance.now() - last.since >= stableMs) {
      onNotFound(tried)
      reported = found
    }
    // An app that has no receiver would log each round. An aborted wait ends here, and throws above.
    const isKnown = found === reported && tried.some(({ answer }) => answer !== null)
    await delay(isKnown ? knownMs : roundMs, undefined, { signal }).catch(() => undefined)
  }
}

function byOrigin(urls: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const url of urls) {
    const { origin } = new URL(url)
    groups.set(origin, [...(groups.get(origin) ?? []), url])
  }
  return groups
}

function makeTest() {
  const id = `evt_test_${randomBytes(12).toString('hex')}`
  return fixture('destination_test', { id, created_at: new Date().toISOString() })
}

function isReceiver({ result, responseBody = '' }: AttemptRecord): boolean {
  return result === 'accepted' || readOwnAnswer(responseBody) !== undefined
}

/** Where the templates and guides mount the receiver. */
const paths = ['/webhooks/feed', '/api/webhooks/feed', '/api/feed']

/** The ports of the templates and of common development servers. */
const usualPorts = [3000, 3001, 5173, 8080, 8787]

/**
 * The URLs at which an app in this folder may listen, the most likely first. The port comes from
 * the environment, from ./.env, from the scripts in package.json, or from a list of usual ports.
 * Each call reads the files again, because a port may change meanwhile.
 */
export function candidateUrls(env: Readonly<Record<string, string | undefined>>): string[] {
  const { PORT: fromFile = '' } = orUndefined(readEnvFile) ?? {}
  const ports = new Set(
    [env['PORT'] ?? '', fromFile, ...scriptPorts(), ...usualPorts].map(Number).filter(isPort),
  )
  return [...ports].flatMap((port) => paths.map((path) => `http://localhost:${port}${path}`))
}

/** Files of the route in frameworks that compile it at the first request. */
const routeFiles = ['', 'src/'].flatMap((folder) =>
  ['app/webhooks/feed/route', 'routes/webhooks/feed/+server', 'pages/webhooks/feed'].flatMap(
    (route) => ['ts', 'js'].map((extension) => `${folder}${route}.${extension}`),
  ),
)

/** What is known about the app in this folder. */
export interface AppFolder {
  /** The names in `dependencies` of its package.json. */
  dependencies: readonly string[]
  /** The file of the route, in a framework that compiles it at the first request. */
  routeFile: string | undefined
}

export function readAppFolder(): AppFolder {
  const { dependencies } = readManifest()
  const routeFile = [...routeFiles, 'server/routes/webhooks/feed.ts'].find((file) =>
    existsSync(file),
  )
  return { dependencies: Object.keys(Object(dependencies)), routeFile }
}

function readManifest(): { scripts?: unknown; dependencies?: unknown } {
  return Object(orUndefined(() => JSON.parse(readFileSync('package.json', 'utf8'))))
}

/** Ports that scripts name, such as `next dev -p 4000`, `--port=4000` or `PORT=4000 node .`. */
function scriptPorts(): string[] {
  const { scripts } = readManifest()
  const text = Object.values(Object(scripts)).join('\n')
  const named = text.matchAll(/(?:\bPORT=|--port[ =]|\s-p[ =]?)(\d{2,5})\b/g)
  return [...named].map(([, port = '']) => port)
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}
