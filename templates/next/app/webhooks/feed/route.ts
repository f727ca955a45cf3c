import { toNext } from '@feed-receiver/next'
import { feed } from '../../../feed/feed'
import { handlers } from '../../../feed/handlers'

export const POST = toNext(feed.receiver)

// In development, Next reloads this file after a change, but not the worker.
feed.handlers = handlers
