import { describeNest } from './nest.ts'

describeNest(11, 'frameworks-older')
