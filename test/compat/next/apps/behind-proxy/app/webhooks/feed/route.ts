import { toNext } from '@feed-receiver/next'
import { receiver } from '../../../feed.ts'

export const POST = toNext(receiver)
