import { defineCommand, type Context } from '../command.ts'
import { findModels, type Mention } from '../models/find-models.ts'
import { annotate, countStates, formatMentions, modelState } from '../models/format-mentions.ts'
import type { CheckedMention } from '../models/format-mentions.ts'
import { checkWritten, readTable, type ModelCheck, type ModelFacts } from '../models/model-facts.ts'
import { walkFiles, type TextFile } from '../models/walk-files.ts'
import { openChosen } from '../options/inbox-options.ts'
import { UsageError } from '../errors.ts'
import { flag, oneOf, parsed, text, type Values } from '../options/option.ts'
import { parseUrl } from '../options/values.ts'
import { many } from '../output/words.ts'

const modelsOptions = {
  from: oneOf('--from <where>', 'table of the recipe model-watch, or service', [
    'table',
    'service',
  ]),
  database: text('--database <url|folder>', 'database with the table (DATABASE_URL)'),
  url: parsed('--url <url>', 'URL of the service (FEED_URL)', parseUrl),
  provider: text('--provider <slug>', 'the provider of every model that several providers have'),
  format: oneOf('--format <form>', 'text, or github for annotations (text)', ['text', 'github']),
  all: flag('--all', 'also list models that are fine, and every unknown one'),
}

export const models = defineCommand({
  options: modelsOptions,
  notes: `
    Finds model ids in files below the paths, by default the current folder: ids of known models,
    and values of names such as model, modelId and OPENAI_MODEL. Skips node_modules, .git, builds,
    binary files and files over 1 MiB.

    With FEED_URL and FEED_API_KEY, it asks the service: one request for each model id, and a second
    one if the id is unknown and contains a slash or a colon, or is ambiguous and you pass
    --provider.
    If the limit per minute is reached, it waits. Otherwise it reads the table of the recipe
    model-watch.

    unknown means that no confirmed fact about a model is known, not that it is fine. ambiguous
    means that several providers have the model. Exit code 1 means that a model is deprecated or
    removed, or that the models cannot be looked up.
  `,
  examples: [
    'feed-receiver models src',
    'feed-receiver models --format github',
    "feed-receiver models $(git ls-files '*.ts' ':!*.test.ts')",
  ],
  async run({ operands, options }, context) {
    const { out, signal } = context
    const walked = walkFiles(operands.length > 0 ? operands : ['.'])
    const { mentions, files } = await withFacts(options, context, (facts) =>
      checkFiles(walked, facts, options.provider, signal),
    )
    const isLeaving = mentions.some((mention) => leaving.includes(modelState(mention)))
    out.json({ ok: !isLeaving, files, mentions })
    const isWhole = options.all === true
    const shown = mentions.filter((mention) => isWhole || !fine.includes(modelState(mention)))
    const lines =
      options.format === 'github'
        ? shown.flatMap((mention) => annotate(mention) ?? [])
        : formatMentions(shown, { isWhole })
    for (const line of lines) out.line(line)
    out.hint(
      `${many(mentions.length, 'mention')} of models in ${many(files, 'file')}: ${countStates(mentions)}.`,
    )
    if (signal.aborted) return 130
    return isLeaving ? 1 : 0
  },
})

const leaving = ['deprecated', 'removed']
const fine = ['listed', 'released']

async function withFacts<Result>(
  { from, database: named, url }: Values<typeof modelsOptions>,
  context: Context,
  work: (facts: ModelFacts) => Promise<Result>,
): Promise<Result> {
  const { env, out, signal } = context
  const baseUrl = url ?? env['FEED_URL']
  const apiKey = env['FEED_API_KEY']
  if (apiKey !== undefined) out.hide(apiKey)
  const isAsked = from === undefined && named === undefined && baseUrl && apiKey
  if (from === 'service' || isAsked) {
    if (!baseUrl || !apiKey)
      throw new UsageError(
        'Set FEED_URL, or --url, and FEED_API_KEY to look models up at the service.',
      )
    const [{ createClient }, { askService }] = await Promise.all([
      import('@feed-receiver/client'),
      import('../models/ask-service.ts'),
    ])
    const onWait = (until: Date) =>
      out.hint(`The limit of requests per minute is reached. Waiting until ${until.toISOString()}.`)
    return await askService(createClient({ baseUrl, apiKey }), work, { signal, onWait })
  }
  await using database = openChosen({ database: named, shard: undefined }, context)
  return await work(await readTable(database))
}

async function checkFiles(
  walked: Iterable<TextFile>,
  facts: ModelFacts,
  provider: string | undefined,
  signal: AbortSignal,
): Promise<{ mentions: CheckedMention[]; files: number }> {
  const found: Mention[] = []
  let files = 0
  for (const file of walked) {
    files += 1
    found.push(...findModels(file, facts.known))
  }
  const checks = new Map<string, ModelCheck>()
  for (const { model } of found) {
    if (checks.has(model) || signal.aborted) continue
    checks.set(model, await checkOne(facts, model, provider))
  }
  const mentions = found.map((mention) => ({
    ...(checks.get(mention.model) ?? { result: 'unknown' as const }),
    ...mention,
  }))
  return { mentions, files }
}

/** The provider only decides between several, because other models may be of other providers. */
async function checkOne(
  facts: ModelFacts,
  model: string,
  provider: string | undefined,
): Promise<ModelCheck> {
  const check = await checkWritten(facts, model)
  if (check.result !== 'ambiguous' || provider === undefined) return check
  const chosen = await checkWritten(facts, model, provider)
  return chosen.result === 'found' ? chosen : check
}
