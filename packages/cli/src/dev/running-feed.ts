import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../command.ts'
import { CliError } from '../errors.ts'
import { readSandboxLink } from '../mcp/sandbox-tools.ts'
import { orUndefined, parseJson } from '../or-undefined.ts'

const file = join('.feed-receiver', 'running.json')

/** Where a running dev or sandbox takes requests, and the session that it accepts. */
export interface Feed {
  control: URL
  session: string
}

/**
 * Writes the link of the running feed's page to ./.feed-receiver, so that commands in other
 * terminals find it. Removes the file when the signal aborts.
 */
export function publishLink(link: string, { signal }: Pick<Context, 'signal'>): void {
  if (signal.aborted) return
  const text = `${JSON.stringify({ link, pid: process.pid })}\n`
  // In a folder that cannot be written to, the other commands need the link.
  orUndefined(() => {
    mkdirSync(dirname(file), { recursive: true })
    rmSync(file, { force: true })
    // Readable by the owner only, because the link contains the session.
    writeFileSync(file, text, { mode: 0o600 })
  })
  const remove = () => {
    // Another one may have started since.
    if (readRunning() === text) rmSync(file, { force: true })
  }
  signal.addEventListener('abort', remove, { once: true })
}

/**
 * The feed of a link, or the one that runs in this folder.
 *
 * @throws CliError `no_sandbox` if none runs, `usage` for a link that is none.
 */
export function findFeed(given: string | undefined, { env, out }: Pick<Context, 'env' | 'out'>) {
  const { link: written }: { link?: unknown } = Object(parseJson(readRunning() ?? ''))
  const link = given ?? env['FEED_SANDBOX_LINK'] ?? written
  if (typeof link !== 'string') throw noFeed('No feed runs in this folder.')
  const feed: Feed = readSandboxLink(link)
  out.hide(feed.session)
  return feed
}

/**
 * Calls an action of a running feed, such as `POST compose-event`.
 *
 * @throws CliError `no_sandbox` if it does not answer, `refused` if it rejects the input.
 */
export async function callFeed<Answer>(
  { control, session }: Feed,
  action: `${'GET' | 'POST'} ${string}`,
  { signal }: Pick<Context, 'signal'>,
  input?: object,
): Promise<Answer> {
  const [method = '', path = ''] = action.split(' ')
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
  // The session is for this feed alone.
  const request = { method, headers, signal, redirect: 'manual' } as const
  const body = input && JSON.stringify(input)
  const response = await fetch(new URL(`api/${path}`, control), {
    ...request,
    ...(body !== undefined && { body }),
  }).catch((cause: unknown) => {
    throw noFeed(`No feed answers at ${control.host} any more.`, cause)
  })
  const text = await response.text()
  const answer = orUndefined<{ data?: Answer; error?: { message?: string } }>(() =>
    JSON.parse(text),
  )
  if (response.ok && answer?.data !== undefined) return answer.data
  if (response.status === 401 || !answer)
    throw noFeed(`What answers at ${control.host} is not the feed of this folder.`)
  throw new CliError('refused', answer.error?.message ?? `The feed answered ${response.status}.`)
}

function noFeed(what: string, cause?: unknown): CliError {
  return new CliError(
    'no_sandbox',
    `${what} Start one with \`npx feed-receiver dev\`, or pass the link of its page with --sandbox.`,
    cause,
  )
}

function readRunning(): string | undefined {
  return orUndefined(() => readFileSync(file, 'utf8'))
}
