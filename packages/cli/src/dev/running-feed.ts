import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { orUndefined, parseJson } from '../or-undefined.ts'

const file = join('.feed-receiver', 'running.json')
/** How long another feed may take to answer. */
const probeMs = 2_000

/** Where a running dev or sandbox takes requests, and the session that it accepts. */
export interface Feed {
  control: URL
  session: string
}

/**
 * Writes the link of the running feed's page to ./.feed-receiver, so that commands in other
 * terminals find it, unless the link of another running feed is there. Returns a function that
 * removes the file.
 */
export async function publishLink(
  link: string,
  context: Pick<Context, 'out' | 'signal'>,
): Promise<() => void> {
  if (await isOtherRunning(context)) {
    context.out.note(
      'Another feed runs in this folder, and `trigger` publishes there. For this one, add --sandbox <link of the page>.',
    )
    return () => undefined
  }
  const text = `${JSON.stringify({ link, pid: process.pid })}\n`
  // In a folder that cannot be written to, the other commands need the link.
  orUndefined(() => {
    mkdirSync(dirname(file), { recursive: true })
    rmSync(file, { force: true })
    // Readable by the owner only, because the link contains the session.
    writeFileSync(file, text, { mode: 0o600 })
  })
  return () => {
    // Another one may have started at the same time.
    if (readRunning() === text) rmSync(file, { force: true })
  }
}

/** Whether a feed answers at the link in the file. One that was killed leaves its link there. */
async function isOtherRunning({ signal }: Pick<Context, 'signal'>): Promise<boolean> {
  const { link } = readLink()
  const feed = orUndefined(() => readSandboxLink(String(link)))
  if (!feed) return false
  const limit = AbortSignal.any([signal, AbortSignal.timeout(probeMs)])
  return await requestFeed(feed, 'GET choices', { input: {}, signal: limit }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/**
 * The feed of a link, or the one that runs in this folder.
 *
 * @throws CliError `no_sandbox` if none runs, `usage` for a link that is none.
 */
export function findFeed(given: string | undefined, { env, out }: Pick<Context, 'env' | 'out'>) {
  const { link: written } = readLink()
  // An empty variable counts as missing.
  const link = given ?? (env['FEED_SANDBOX_LINK'] || written)
  if (typeof link !== 'string') throw noFeed('No feed runs in this folder.')
  const feed: Feed = readSandboxLink(link)
  out.hide(feed.session)
  return feed
}

/**
 * Parses the link that opens a sandbox's page.
 *
 * @throws CliError `usage` for any other text
 */
export function readSandboxLink(link: string): Feed {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const session = url?.searchParams.get('session')
  if (!url || !session)
    throw new UsageError(
      'The link of the sandbox is invalid. Use the link that dev and sandbox print at startup, which ends with ?session=…',
    )
  return { control: new URL('.', url), session }
}

interface FeedAnswer<Data> {
  data?: Data
  error?: string
}

/**
 * Calls an action of a running feed, such as `POST compose-event`.
 *
 * @throws CliError `no_sandbox` if it does not answer, `rejected` if it rejects the input.
 */
export async function callFeed<Data>(
  feed: Feed,
  action: `${'GET' | 'POST'} ${string}`,
  { signal }: Pick<Context, 'signal'>,
  input: object = {},
): Promise<Data> {
  const { ok, status, answer } = await requestFeed<Data>(feed, action, { input, signal })
  if (ok && answer.data !== undefined) return answer.data
  throw new CliError('rejected', answer.error ?? `The feed answered ${status}.`)
}

/**
 * Calls an action, and returns its answer whatever it is.
 *
 * @throws CliError `no_sandbox` if no feed answers.
 */
export async function requestFeed<Data>(
  { control, session }: Feed,
  action: string,
  { input, signal }: { input: object; signal: AbortSignal },
): Promise<{ ok: boolean; status: number; answer: FeedAnswer<Data> }> {
  const [method = '', path = ''] = action.split(' ')
  const url = new URL(`api/${path}`, control)
  const isRead = method === 'GET'
  if (isRead) for (const [name, value] of Object.entries(input)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
    body: isRead ? null : JSON.stringify(input),
    signal,
    // The session is for this feed alone.
    redirect: 'manual',
  }).catch((cause: unknown) => {
    throw noFeed(`No feed answers at ${control.host}.`, cause)
  })
  const { ok, status } = response
  if (status === 401)
    throw noFeed(`The feed at ${control.host} was restarted with another session.`)
  const text = await response.text()
  const answer = orUndefined<FeedAnswer<Data>>(() => JSON.parse(text))
  if (!answer) throw noFeed(`${control.host} is not a sandbox.`)
  return { ok, status, answer }
}

function noFeed(what: string, cause?: unknown): CliError {
  return new CliError(
    'no_sandbox',
    `${what} Start one with \`npx feed-receiver dev\`, or pass the link of its page with --sandbox.`,
    cause,
  )
}

function readLink(): { link?: unknown } {
  return Object(parseJson(readRunning() ?? ''))
}

function readRunning(): string | undefined {
  return orUndefined(() => readFileSync(file, 'utf8'))
}
