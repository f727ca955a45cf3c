// For the other programs of this repository. It may change in every release.
export { runChecks } from './conformance/check/run-checks.ts'
export type { CheckReport } from './conformance/check/run-checks.ts'
export { devPage } from './dev/shipped-files.ts'
