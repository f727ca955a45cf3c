import { startFeed, stopFeed } from '../feed-receiver'

export default defineNitroPlugin((nitro) => {
  if (import.meta.prerender) return
  startFeed()
  // In development also before each reload, so that the embedded database is not locked.
  nitro.hooks.hook('close', stopFeed)
})
