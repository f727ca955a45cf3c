import type { Handlers } from '@feed-receiver/inbox'

/** One handler for each event type. If a handler throws, the inbox retries it ten times in about two hours. */
export const handlers: Handlers = {
  // Writes through `tx` happen exactly once, however often the event is delivered.
  outage_started: async ({ id, created_at, data }, { tx }) => {
    await tx.query(
      'insert into app.outage (event_id, provider, title, observed_at) values ($1, $2, $3, $4)',
      [id, data.provider, data.title, created_at],
    )
  },

  model_release: ({ data }) => {
    console.log(`New model: ${data.title} (${data.source_url})`)
  },
}
