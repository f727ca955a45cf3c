import { z } from 'zod'
import { problem } from '../errors.ts'
import { orUndefined } from '../or-undefined.ts'
import { defineTool, type SandboxLink, type Tool, type ToolContext } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

const limit = z.int().min(1).max(100).default(20)
const delivery = z.object({ id: z.int().min(1).describe(texts.inputs.deliveryId) })
const destination = z.object({ id: z.string().describe(texts.inputs.destinationId) })

/** A tool for one action of the sandbox, called with `GET` or `POST` below its control page. */
function sandboxTool(
  text: Pick<Tool, 'name' | 'title' | 'description'>,
  route: `${'GET' | 'POST'} ${string}`,
  input: z.ZodObject,
): Tool {
  const effect = route.startsWith('GET') ? 'reads' : 'sends'
  return defineTool({
    ...text,
    effect,
    input,
    answer: async (given, context) => await ask(route, given, context),
  })
}

/** The tools of `--sandbox`: the feed, its deliveries, and fault injection. */
export const sandboxTools = [
  sandboxTool(texts.sandboxEvents, 'GET events', z.object({ limit })),
  sandboxTool(
    texts.sandboxPublish,
    'POST compose-event',
    z.object({
      eventType: z.string().optional(),
      providerSlug: z.string().optional(),
      title: z.string().optional(),
      summary: z.string().optional(),
    }),
  ),
  sandboxTool(texts.sandboxDestinations, 'GET destinations', z.object({})),
  sandboxTool(texts.sandboxTest, 'POST test-destination', destination),
  sandboxTool(
    texts.sandboxDeliveries,
    'GET deliveries',
    z.object({ eventId: z.string().optional(), limit }),
  ),
  sandboxTool(texts.sandboxDelivery, 'GET delivery', delivery),
  sandboxTool(texts.sandboxRetry, 'POST retry-delivery', delivery),
  sandboxTool(texts.sandboxResend, 'POST resend-delivery', delivery),
  sandboxTool(
    texts.sandboxFail,
    'POST create-delivery-fault',
    z.object({
      fault: z.string().describe(texts.inputs.fault),
      times: z.int().min(1).max(100).optional(),
    }),
  ),
]

/**
 * Parses the link that opens a sandbox's page.
 *
 * @throws CliError `usage` for any other text
 */
export function readSandboxLink(link: string): SandboxLink {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const session = url?.searchParams.get('session')
  if (!url || !session) throw problem('usage', 'sandbox_link')
  return { control: new URL('.', url), session }
}

async function ask(route: string, given: object, { sandbox, signal }: ToolContext) {
  if (!sandbox) throw problem('usage', 'sandbox_link')
  const { control, session } = sandbox
  const [method = '', path = ''] = route.split(' ')
  const url = new URL(`api/${path}`, control)
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
  const isRead = method === 'GET'
  if (isRead) for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value)
  const body = isRead ? null : JSON.stringify(given)
  // The session is for this sandbox alone.
  const request = { method, headers, body, signal, redirect: 'manual' } as const
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw problem('no_sandbox', 'no_answer', { host: control.host }, cause)
  })
  if (response.status === 401) throw problem('no_sandbox', 'other_session', { host: control.host })
  const text = await response.text()
  const answer = orUndefined<{ data?: unknown }>(() => JSON.parse(text))
  if (!answer) throw problem('no_sandbox', 'other_answer', { host: control.host })
  const untrusted = response.ok ? answer.data : answer
  return { ok: response.ok, says: [], untrusted, hasFailed: !response.ok }
}
