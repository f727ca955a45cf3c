import { combineHandlers, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { withContext } from '@feed-receiver/inbox/extend'
import { createDigest } from './digest/index.ts'
import { createIncidents } from './incidents/index.ts'
import { createModelWatch } from './model-watch/index.ts'
import { createPriceHistory } from './price-history/index.ts'

const stops: (() => Promise<void>)[] = []

/** Creates the tables of the recipes, and combines their handlers with those of the app. */
export async function startRecipes(inbox: Inbox, own: Handlers): Promise<Handlers> {
  const database = await withContext(inbox, async (context) => context.database)
  try {
    const digest = await createDigest({ database })
    stops.push(digest.stop)
    return combineHandlers({
      own,
      digest: digest.handlers,
      incidents: await createIncidents({ database }),
      modelWatch: await createModelWatch({ database }),
      priceHistory: await createPriceHistory({ database }),
    })
  } catch (error) {
    // The app may try again, and would start them twice.
    await stopRecipes()
    throw error
  }
}

/** Stops what the recipes have started. Call it before the inbox stops. */
export async function stopRecipes(): Promise<void> {
  // A failure is printed only, because the inbox must still stop.
  await Promise.all(stops.splice(0).map((stop) => stop().catch(console.error)))
}
