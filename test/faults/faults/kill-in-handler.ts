import { killAtPoint } from './kill-at-point.ts'

export const killInHandler = killAtPoint('worker', 'in-handler', {
  name: 'kill-in-handler',
  describe: 'a worker dies inside a handler, before the effect',
})
