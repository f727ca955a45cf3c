import { allFrameworks, describeRuntime } from './suite.ts'

describeRuntime('node-20', allFrameworks)
