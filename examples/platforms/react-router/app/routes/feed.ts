import { toFetch } from '@feed-receiver/core'
import type { ActionFunctionArgs } from 'react-router'
import { receiver } from '../feed.server'

const receive = toFetch(receiver)

export const action = ({ request }: ActionFunctionArgs) => receive(request)
