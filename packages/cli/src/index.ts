export { explainDelivery } from './explain/explain-delivery.ts'
export type { Cause } from './explain/cause.ts'
export type { Explanation, ExplainOptions } from './explain/explain-delivery.ts'
export type { NamedSecret } from './explain/find-slips.ts'
export type { CapturedDelivery } from './read-delivery.ts'

export { renderTable } from './check/render-table.ts'
export { runChecks } from './check/run-checks.ts'
export type { CheckResult } from './check/verdict.ts'
export type { CheckReport, RunChecksOptions, Score } from './check/run-checks.ts'

export { devPage } from './dev/dev-page.ts'
