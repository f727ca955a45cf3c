// npm run test:slow: everything that takes minutes. `npm run test:slow -- browser` runs one suite.
import { runSuites } from './run-suites.mjs'
import { slowSuites } from './suites.mjs'

await runSuites('test:slow', slowSuites)
