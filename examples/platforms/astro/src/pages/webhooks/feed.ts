import { toFetch } from '@feed-receiver/core'
import type { APIRoute } from 'astro'
import { receiver } from '../../feed'

export const prerender = false

const receive = toFetch(receiver)

export const POST: APIRoute = ({ request }) => receive(request)
