// npm run test:gate: the slow tests that have caught real faults, in some minutes.
import { runSuites } from './run-suites.mjs'
import { gateSuites } from './suites.mjs'

await runSuites('test:gate', gateSuites)
