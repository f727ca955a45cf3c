import type { Handlers } from '@feed-receiver/inbox'

export const handlers: Handlers = {
  outage_started: async (event, { tx }) => {
    const { title, confirmation } = event.data
    if (confirmation !== 'confirmed') return
    await tx.query('insert into page (event_id, title) values ($1, $2)', [event.id, title])
  },
}
