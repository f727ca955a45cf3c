import { toLambda } from '@feed-receiver/core/node'
import { receiver } from './feed.ts'

export const handler = toLambda(receiver)
