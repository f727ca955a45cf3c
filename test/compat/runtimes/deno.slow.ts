import { describeRuntime } from './suite.ts'

// Its own node:http serves every framework, so one of them stands for all.
describeRuntime('deno', ['express', 'fetch'])
