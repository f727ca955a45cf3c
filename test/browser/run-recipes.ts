import { createClient, createPoller } from '@feed-receiver/client'
import { openDatabase } from '@feed-receiver/database'
import { combineHandlers, createInbox } from '@feed-receiver/inbox'
import { startSandbox } from '../../packages/sandbox/test/use-sandbox.ts'
import { createDigest, sendDigest } from '../../templates/recipes/digest/index.ts'
import type { RenderedMail } from '../../templates/recipes/digest/render.ts'
import { createIncidents } from '../../templates/recipes/incidents/index.ts'
import { createSlack } from '../../templates/recipes/incidents/slack.ts'
import { createModelWatch } from '../../templates/recipes/model-watch/index.ts'
import { syncDeprecations } from '../../templates/recipes/model-watch/sync-deprecations.ts'
import { pricesToCsv } from '../../templates/recipes/price-history/csv.ts'
import { createPriceHistory } from '../../templates/recipes/price-history/index.ts'
import { createTarget } from '../support/databases.ts'
import {
  serveSlack,
  slackChannel,
  slackToken,
  type SlackMessage,
} from '../integration/recipes/serve-slack.ts'

export type TableRow = Readonly<Record<string, unknown>>

/** What all recipes have made of a week of the sandbox. It is the same in each run. */
export interface RecipeResults {
  /** All that Slack has, in order. */
  messages: SlackMessage[]
  models: TableRow[]
  prices: TableRow[]
  csv: string
  mail: RenderedMail
}

const week = { seed: 'w2', historyDays: 7, historyEndsAt: new Date('2026-09-04T18:00:00Z') }

/** Runs all recipes in one app, which reads a week of the sandbox by pull. */
export async function runRecipes(): Promise<RecipeResults> {
  const feed = await createTarget('pglite')
  const app = await createTarget('pglite')
  const { sandbox, key } = await startSandbox({
    database: feed.target,
    firstCursor: 'replay',
    ...week,
  })
  const slack = await serveSlack()
  const database = openDatabase(app.target)
  const inbox = createInbox({ database, ordered: 'subject' })
  const client = createClient({ baseUrl: sandbox.url, apiKey: key })
  const poller = createPoller({ client, inbox, filter: { confirmation: 'all' } })
  const mails: RenderedMail[] = []
  try {
    await inbox.start()
    const chat = createSlack({ token: slackToken, channel: slackChannel, url: slack.url })
    const send = async (mail: RenderedMail) => void mails.push(mail)
    const digest = await createDigest({ database, send })
    const handlers = combineHandlers({
      digest: digest.handlers,
      incidents: await createIncidents({ database, chat }),
      modelWatch: await createModelWatch({ database }),
      priceHistory: await createPriceHistory({ database }),
    })
    await poller.poll()
    await inbox.drain(handlers)
    await using tools = await client.mcp()
    await syncDeprecations(database, tools)
    await sendDigest(database, send)
    await digest.stop()
    const [mail] = mails
    if (!mail) throw new Error('There was nothing to send in a mail.')
    return {
      messages: slack.messages,
      models: (await database.query(modelsByState)).rows,
      prices: (await database.query(pricesByTime)).rows,
      csv: await pricesToCsv(database),
      mail,
    }
  } finally {
    await poller.stop()
    await inbox.stop()
    await database.close()
    slack.stop()
    await sandbox.stop()
    await app.drop()
    await feed.drop()
  }
}

const day = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD') as ${column}`
const modelsByState = `
  select provider, model, state, ${day('since')}, ${day('effective_at')},
    array_to_string(replacements, ', ') as replacements, source_url
  from model_watch.model
  order by array_position('{removed,deprecated,released,listed}', state), provider, model`
const pricesByTime = `
  select to_char(observed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as observed_at, provider,
    title, case when is_confirmed then 'confirmed' else 'early signal' end as status, evidence,
    source_url
  from price_history.change order by price_history.change.observed_at`
