import { describeRuntime } from './suite.ts'

describeRuntime('bun')
