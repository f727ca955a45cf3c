import type { Handlers } from '@feed-receiver/inbox'

/** What becomes of an event, by its type. A handler that throws is tried again, for hours. */
export const handlers: Handlers = {
  // Written through `tx`, a row is there exactly once, however often the event comes.
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
