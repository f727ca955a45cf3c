import { toFetch } from '@feed-receiver/core'
import { receiver } from '$lib/server/feed'
import type { RequestHandler } from './$types'

const receive = toFetch(receiver)

export const POST: RequestHandler = ({ request }) => receive(request)
