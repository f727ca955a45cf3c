import { describeBehindProxy } from './behind-proxy.ts'
import { describeConsole } from './console.ts'
import { describeNextContract } from './contract.ts'

describeNextContract('15')
describeBehindProxy('15')
describeConsole('15')
