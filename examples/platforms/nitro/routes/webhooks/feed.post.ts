import { toFetch } from '@feed-receiver/core'
import { defineHandler } from 'nitro/h3'
import { receiver } from '../../feed'

const receive = toFetch(receiver)

export default defineHandler((event) => receive(event.req))
