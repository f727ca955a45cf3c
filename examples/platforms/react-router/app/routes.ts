import { route } from '@react-router/dev/routes'

export default [route('webhooks/feed', 'routes/feed.ts')]
