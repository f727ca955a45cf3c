import { toFetch } from '@feed-receiver/core'
import { receiver } from '../feed.ts'

export default { fetch: toFetch(receiver) }
