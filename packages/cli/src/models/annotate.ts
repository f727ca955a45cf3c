import type { Mention } from './find-models.ts'
import type { ModelCheck } from './model-facts.ts'

export type CheckedMention = Mention & ModelCheck

const levels = new Map([
  ['removed', 'error'],
  ['deprecated', 'warning'],
  ['ambiguous', 'notice'],
])

/** The workflow command with which GitHub shows a model beside its line; undefined for none. */
export function annotate(mention: CheckedMention): string | undefined {
  const { path, line, column, model } = mention
  const state = modelState(mention)
  const level = levels.get(state)
  if (!level) return undefined
  const title = state === 'ambiguous' ? 'Ambiguous model' : `${model} is ${state}`
  const position = { file: path.replaceAll('\\', '/'), line, col: column, title }
  const properties = Object.entries(position).map(
    ([name, value]) => `${name}=${property(String(value))}`,
  )
  return `::${level} ${properties.join(',')}::${message(describeCheck(mention))}`
}

/** Says in a sentence what is known about a model, and what to do. */
export function describeCheck(mention: CheckedMention): string {
  if (mention.result === 'unknown') return 'No confirmed fact about this model is known.'
  if (mention.result === 'ambiguous') {
    const providers = mention.candidates.map(({ provider }) => provider).join(', ')
    return `ambiguous, because several providers have it: ${providers}. Name one with --provider.`
  }
  const { state, provider, since, effectiveAt, replacements, sourceUrl } = mention
  const date = effectiveAt === null ? `since ${dayOf(since)}` : `effective ${dayOf(effectiveAt)}`
  const move = replacements.length > 0 ? ` Move to ${replacements.join(' or ')}.` : ''
  return `${state} by ${provider}, ${date}.${move} Source: ${sourceUrl}`
}

export function modelState(check: ModelCheck): string {
  return check.result === 'found' ? check.state : check.result
}

function dayOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length)
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
