import { z } from 'zod'
import { object, openText, text, uri } from './formats.ts'

/** Present only if structured evidence of the source supports it. */
const supported = {
  effectiveAt: text.nullish(),
  daysRemaining: z.number().nullish(),
  replacementIds: z.array(text).nullish(),
}

/** A confirmed fact about the end of a model, from the MCP tool `get_deprecations`. */
export const deprecationSchema = object({
  /** The id of the event that established the fact. */
  id: text,
  provider: text,
  modelId: text,
  fact: openText<'deprecated' | 'removed'>(),
  announcedAt: text,
  ...supported,
  sourceUrl: uri,
  evidenceState: text,
})

export type Deprecation = z.infer<typeof deprecationSchema>

const lifecycle = object({
  state: openText<'listed' | 'released' | 'deprecated' | 'removed'>(),
  ...supported,
})

export type ModelLifecycle = z.infer<typeof lifecycle>

const checkedEvent = object({
  id: text,
  title: text,
  sourceUrl: uri,
  firstObservedAt: text,
  evidenceState: text,
})

export type ModelCheckEvent = z.infer<typeof checkedEvent>

/** The answer of the MCP tool `check_model`. */
export const modelCheckSchema = object({
  /**
   * `unknown` means that no confirmed fact matches, not that the model is fine. `ambiguous`
   * means that you have to name a provider, one of `candidates`.
   */
  result: openText<'found' | 'unknown' | 'ambiguous'>(),
  model: text.nullish(),
  provider: text.nullish(),
  matchedBy: openText<'exact' | 'alias'>().nullish(),
  lifecycle: lifecycle.nullish(),
  /** The event that the latest fact is from. */
  event: checkedEvent.nullish(),
  candidates: z.array(object({ provider: text, model: text })).nullish(),
})

export type ModelCheck = z.infer<typeof modelCheckSchema>
