import type { TestResult } from '@feed-receiver/sandbox'
import { fixOfAttempt } from '../describe-attempt.ts'
import { secretName } from '../options/secret-options.ts'
import { describeWho, findTrap, readOwnAnswer } from '../conformance/traps/find-trap.ts'
import type { AppFolder, Tried } from './find-app.ts'

/** How an app mounts the receiver, by the package of its framework; the first one found counts. */
const mounts = new Map([
  ['next', '  // app/webhooks/feed/route.ts\n  export const POST = toNext(receiver)'],
  ['@nestjs/core', "  app.use('/webhooks/feed', toExpress(receiver)) // before app.listen()"],
  ['fastify', "  await app.register(toFastify(receiver), { path: '/webhooks/feed' })"],
  ['koa', "  router.post('/webhooks/feed', toKoa(receiver)) // before any body parser"],
  ['hono', "  app.all('/webhooks/feed', (context) => toFetch(receiver)(context.req.raw))"],
  ['express', "  app.post('/webhooks/feed', toExpress(receiver)) // before any body parser"],
])

const usualMount = mounts.get('express') ?? ''

/** The URLs that an unsuccessful search for the app tried, and what to do. */
export function describeSearch(
  tried: readonly Tried[],
  { dependencies, routeFile }: AppFolder,
): string {
  const listening = tried.filter(({ answer }) => answer !== null)
  if (listening.length === 0) {
    const ports = new Set(tried.map(({ url }) => new URL(url).port))
    return `No app listens yet on port ${[...ports].join(', ')} of this machine. Still looking.\nIf it listens elsewhere, give its URL before any -- and command: feed-receiver dev http://localhost:4000/webhooks/feed`
  }
  const slow = listening.find(({ answer }) => answer?.cause === 'timeout')
  const answers = listening.map(
    ({ url, answer }) => `  ${url} answers ${answer?.status ?? answer?.error?.code ?? 'nothing'}`,
  )
  return ['No receiver answers yet:', ...answers, ...advise(), 'Still looking.'].join('\n')

  function advise(): string[] {
    if (slow) return [`${slow.url} takes long to answer, as while a framework compiles it.`]
    if (routeFile !== undefined) {
      return [`${routeFile} exists, so the app may still compile it, or listen on another port.`]
    }
    const [blocked] = listening.flatMap(({ url, answer }) => whyBlocked(url, answer))
    if (blocked !== undefined) {
      return [blocked, `If the receiver has another URL, give it: ${givenUrl}`]
    }
    const [framework = 'express', mount = usualMount] =
      [...mounts].find(([name]) => dependencies.includes(name)) ?? []
    return [
      `Mount it (here in ${framework}), or give its URL: ${givenUrl}`,
      '  const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })',
      mount,
      'npm create feed-receiver can also add a tested route to this app.',
    ]
  }
}

const givenUrl = 'feed-receiver dev http://localhost:3000/path'

/** Whether something answers in front of a receiver that may be mounted there: as `doctor` says it. */
function whyBlocked(url: string, answer: Tried['answer']): string[] {
  const { status = null, headers = {}, responseBody: body = '' } = answer ?? {}
  // A missing route shows that no receiver is mounted, or not there.
  if (!answer || status === null || status === 404 || status === 405) return []
  const trap = findTrap({ status, headers, body })
  if (trap) return [`${url}: ${describeWho(trap)} ${trap.fix}`]
  return status === 401 || status === 403 ? [`${url}: ${fixOfAttempt(answer)}`] : []
}

type Answered = Pick<TestResult, 'status' | 'cause' | 'errorCode' | 'responseBody'>

/** Why a test delivery was not accepted. */
export function describeFailure(result: Answered, url: string): string {
  const { status, cause, errorCode, responseBody } = result
  // The receiver itself rejected it.
  if (readOwnAnswer(responseBody ?? '')?.code === 'signature_mismatch') {
    return `${url} answers 401, because its ${secretName} differs from the one that signs here. Start it with the value in ./.env, and remove other values. After a rotation, give it the new secret.`
  }
  if (status !== null) return `${url} answers ${status}. ${fixOfAttempt(result)}`
  if (cause === 'tls') {
    return `${url} has a certificate that is not trusted (${errorCode ?? cause}), and the service would reject it too. Use the http:// URL of the app.`
  }
  if (cause === 'connect') return `Nothing listens at ${url} yet.`
  return `${url} does not answer (${errorCode ?? cause}).`
}
