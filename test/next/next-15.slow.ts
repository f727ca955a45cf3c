import { describeBehindProxy } from './behind-proxy.ts'
import { describeNextContract } from './contract.ts'

describeNextContract('15')
describeBehindProxy('15')
