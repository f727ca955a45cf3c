import { describeBehindProxy } from './behind-proxy.ts'
import { describeNextContract } from './contract.ts'

describeNextContract('16')
describeBehindProxy('16')
