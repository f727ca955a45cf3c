import { z } from 'zod'
import { requestFeed, type Feed } from '../dev/running-feed.ts'
import { defineTool, type Tool } from './tool.ts'

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
      'Makes the next attempts of deliveries fail, once or `times` times, to show how they are retried.',
    route: 'POST create-delivery-fault',
    input: {
      fault: z
        .string()
        .describe(
          'answer_400 to answer_503 for that status, no_answer, lose_answer, or another that can be counted; a wrong name returns the list',
        ),
      // Without a number, the rule would apply until it is deleted.
      times: z.int().min(1).max(100).default(1),
    },
  },
  feed_sandbox_faults: {
    title: 'List sandbox faults',
    description: 'Lists the rules that make deliveries fail, with how often each still applies.',
    route: 'GET delivery-faults',
  },
  feed_sandbox_stop_failing: {
    title: 'Delete a sandbox fault',
    description: 'Deletes a rule of feed_sandbox_faults, so that deliveries are sent again.',
    route: 'POST delete-delivery-fault',
    input: { id: z.int().min(1).describe('id of a rule of feed_sandbox_faults') },
  },
}

/** The tools of `--sandbox`: the feed, its deliveries, and fault injection. */
export function sandboxTools(sandbox: Feed): Tool[] {
  return Object.entries(actions).map(([name, { title, description, route, input = {} }]) =>
    defineTool({
      name,
      title,
      description,
      effect: route.startsWith('GET') ? 'reads' : 'sends',
      input: z.object(input),
      async answer(given, { signal }) {
        const { ok, answer } = await requestFeed(sandbox, route, { input: given, signal })
        return { ok, says: [], untrusted: ok ? answer.data : answer, hasFailed: !ok }
      },
    }),
  )
}
