import { z } from 'zod'
import { text, uri } from '../event/formats.ts'

/** A confirmed fact about the end of a model, as the MCP tool `get_deprecations` gives it (R149). */
export interface Deprecation {
  /** Of the event that established it. */
  id: string
  provider: string
  modelId: string
  fact: 'deprecated' | 'removed' | (string & {})
  announcedAt: string
  /** These three are there only where structured evidence of the source supports them (R153). */
  effectiveAt?: string | null | undefined
  daysRemaining?: number | null | undefined
  replacementIds?: string[] | null | undefined
  sourceUrl: string
  evidenceState: string
}

/** What the MCP tool `check_model` answers (R150–R153). */
export interface ModelCheck {
  /**
   * `unknown` means that no confirmed fact matches, and not that the model is fine (R151); `ambiguous`
   * that a provider has to be named, one of `candidates` (R152).
   */
  result: 'found' | 'unknown' | 'ambiguous' | (string & {})
  model?: string | null | undefined
  provider?: string | null | undefined
  matchedBy?: 'exact' | 'alias' | (string & {}) | null | undefined
  lifecycle?: ModelLifecycle | null | undefined
  event?: ModelCheckEvent | null | undefined
  candidates?: { provider: string; model: string }[] | null | undefined
}

export interface ModelLifecycle {
  state: 'listed' | 'released' | 'deprecated' | 'removed' | (string & {})
  effectiveAt?: string | null | undefined
  daysRemaining?: number | null | undefined
  replacementIds?: string[] | null | undefined
}

/** The event that the latest fact is from. */
export interface ModelCheckEvent {
  id: string
  title: string
  sourceUrl: string
  firstObservedAt: string
  evidenceState: string
}

const supported = {
  effectiveAt: text.nullish(),
  daysRemaining: z.number().nullish(),
  replacementIds: z.array(text).nullish(),
}

export const deprecationSchema = z.looseObject({
  id: text,
  provider: text,
  modelId: text,
  fact: text,
  announcedAt: text,
  ...supported,
  sourceUrl: uri,
  evidenceState: text,
}) satisfies z.ZodType<Deprecation>

export const modelCheckSchema = z.looseObject({
  result: text,
  model: text.nullish(),
  provider: text.nullish(),
  matchedBy: text.nullish(),
  lifecycle: z.looseObject({ state: text, ...supported }).nullish(),
  event: z
    .looseObject({
      id: text,
      title: text,
      sourceUrl: uri,
      firstObservedAt: text,
      evidenceState: text,
    })
    .nullish(),
  candidates: z.array(z.looseObject({ provider: text, model: text })).nullish(),
}) satisfies z.ZodType<ModelCheck>
