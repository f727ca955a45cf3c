import { z } from 'zod'
import { CliError, UsageError } from '../errors.ts'
import { orUndefined } from '../or-undefined.ts'
import { defineTool, type Answer, type Tool } from './tool.ts'

/** The address of a sandbox's controls, with the token. */
export interface SandboxLink {
  control: URL
  session: string
}

/**
 * Parses the link that opens a sandbox's page.
 *
 * @throws CliError `usage` for any other text
 */
export function readSandboxLink(link: string): SandboxLink {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const session = url?.searchParams.get('session')
  if (url && session) return { control: new URL('.', url), session }
  throw new UsageError(
    'The link of the sandbox is invalid. Use the link that dev and sandbox print at startup, which ends with ?session=…',
  )
}

const limit = z.int().min(1).max(100).default(20)
const delivery = { id: z.int().min(1).describe('id of a delivery of feed_sandbox_deliveries') }
const destination = { id: z.string().describe('id of a destination of feed_sandbox_destinations') }

interface Action extends Pick<Tool, 'title' | 'description'> {
  /** The method, and the path below the control page. */
  route: `${'GET' | 'POST'} ${string}`
  input?: z.ZodRawShape
}

const actions: Record<string, Action> = {
  feed_sandbox_events: {
    title: 'List sandbox events',
    description: 'Lists the events that the sandbox published, newest first.',
    route: 'GET events',
    input: { limit },
  },
  feed_sandbox_publish: {
    title: 'Publish a sandbox event',
    description:
      'Publishes an event now, and delivers it to every active destination. The sandbox makes up omitted fields.',
    route: 'POST compose-event',
    input: {
      eventType: z.string().optional(),
      providerSlug: z.string().optional(),
      title: z.string().optional(),
      summary: z.string().optional(),
    },
  },
  feed_sandbox_destinations: {
    title: 'List sandbox destinations',
    description:
      'Lists where the sandbox delivers to. For a paused destination, it shows since when, and which answer paused it.',
    route: 'GET destinations',
  },
  feed_sandbox_test: {
    title: 'Test a sandbox destination',
    description:
      'Sends a test delivery and waits for the answer. A 2xx resumes a paused destination.',
    route: 'POST test-destination',
    input: destination,
  },
  feed_sandbox_deliveries: {
    title: 'List sandbox deliveries',
    description:
      'Lists deliveries with a summary of each attempt, newest first. eventId selects those of one event.',
    route: 'GET deliveries',
    input: { eventId: z.string().optional(), limit },
  },
  feed_sandbox_delivery: {
    title: 'Show a sandbox delivery',
    description:
      'Shows one delivery with its body, and each attempt with the answer of the receiver.',
    route: 'GET delivery',
    input: delivery,
  },
  feed_sandbox_retry: {
    title: 'Retry a sandbox delivery now',
    description: 'Makes the next attempt of a delivery now, without waiting for its backoff.',
    route: 'POST retry-delivery',
    input: delivery,
  },
  feed_sandbox_resend: {
    title: 'Resend a sandbox delivery',
    description:
      'Sends the same bytes as a new delivery, to show how the receiver answers a duplicate.',
    route: 'POST resend-delivery',
    input: delivery,
  },
  feed_sandbox_fail: {
    title: 'Fail sandbox deliveries',
    description:
      'Makes the next deliveries fail, once or the given number of times, to show how they are retried.',
    route: 'POST create-delivery-fault',
    input: {
      fault: z
        .string()
        .describe(
          'answer_400 to answer_503 for that status, no_answer, lose_answer, or another; a wrong name returns the list',
        ),
      times: z.int().min(1).max(100).optional(),
    },
  },
}

/** The tools of `--sandbox`: the feed, its deliveries, and fault injection. */
export function sandboxTools(sandbox: SandboxLink): Tool[] {
  return Object.entries(actions).map(([name, { title, description, route, input = {} }]) =>
    defineTool({
      name,
      title,
      description,
      effect: route.startsWith('GET') ? 'reads' : 'sends',
      input: z.object(input),
      answer: (given, { signal }) => request(sandbox, route, given, signal),
    }),
  )
}

async function request(
  { control, session }: SandboxLink,
  route: string,
  given: object,
  signal: AbortSignal,
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const url = new URL(`api/${path}`, control)
  const isRead = method === 'GET'
  if (isRead) for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
    body: isRead ? null : JSON.stringify(given),
    signal,
    // The session is for this sandbox alone.
    redirect: 'manual',
  }).catch((cause: unknown) => {
    throw noSandbox(`No sandbox answers at ${control.host}. ${startOne}`, cause)
  })
  if (response.status === 401)
    throw noSandbox(
      `The sandbox at ${control.host} was restarted with another session. Use its new link as --sandbox.`,
    )
  const text = await response.text()
  const answer = orUndefined<{ data?: unknown }>(() => JSON.parse(text))
  if (!answer) throw noSandbox(`${control.host} is not a sandbox. ${startOne}`)
  const { ok } = response
  return { ok, says: [], untrusted: ok ? answer.data : answer, hasFailed: !ok }
}

const startOne = 'Start feed-receiver dev, and use its link as --sandbox.'

function noSandbox(message: string, cause?: unknown): CliError {
  return new CliError('no_sandbox', message, cause)
}
