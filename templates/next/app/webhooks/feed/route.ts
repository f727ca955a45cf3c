import { toNext } from '@feed-receiver/next'
import { feed } from '../../../feed/feed'

export const POST = toNext(feed.receiver)
