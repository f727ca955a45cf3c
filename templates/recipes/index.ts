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
  const digest = await createDigest({ database })
  stops.push(digest.stop)
  return combineHandlers({
    own,
    digest: digest.handlers,
    incidents: await createIncidents({ database }),
    modelWatch: await createModelWatch({ database }),
    priceHistory: await createPriceHistory({ database }),
  })
}

/** Stops what the recipes have started. Call it before the inbox stops. */
export async function stopRecipes(): Promise<void> {
  for (const stop of stops.splice(0)) await stop()
}
