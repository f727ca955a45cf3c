import { describeRuntime } from './suite.ts'

describeRuntime('node-24')
