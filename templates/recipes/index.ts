import { combineHandlers, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { withContext } from '@feed-receiver/inbox/extend'
import { createIncidents } from './incidents/index.ts'
import { createModelWatch } from './model-watch/index.ts'
import { createPriceHistory } from './price-history/index.ts'

/** Creates the tables of the recipes, and combines their handlers with those of the app. */
export async function startRecipes(inbox: Inbox, own: Handlers): Promise<Handlers> {
  const database = await withContext(inbox, async (context) => context.database)
  return combineHandlers({
    own,
    incidents: await createIncidents({ database }),
    modelWatch: await createModelWatch({ database }),
    priceHistory: await createPriceHistory({ database }),
  })
}
