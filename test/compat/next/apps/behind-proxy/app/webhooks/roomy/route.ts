import { toNext } from '@feed-receiver/next'
import { roomyReceiver } from '../../../feed.ts'

export const POST = toNext(roomyReceiver)
