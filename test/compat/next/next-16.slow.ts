import { describeBehindProxy } from './behind-proxy.ts'
import { describeConsole } from './console.ts'
import { describeNextContract } from './contract.ts'

describeNextContract('16')
describeBehindProxy('16')
describeConsole('16')
