// For the other programs of this repository. It may change in every release.
export { explainDelivery } from './conformance/explain/explain-delivery.ts'
export type { Cause } from './conformance/explain/cause.ts'
export type {
  CapturedDelivery,
  Explanation,
  ExplainOptions,
  NamedSecret,
} from './conformance/explain/explain-delivery.ts'

export { renderTable } from './conformance/check/render-table.ts'
export { runChecks } from './conformance/check/run-checks.ts'
export type { CheckResult } from './conformance/check/verdict.ts'
export type { CheckReport, RunChecksOptions, Score } from './conformance/check/run-checks.ts'

export { devPage } from './dev/dev-page.ts'
