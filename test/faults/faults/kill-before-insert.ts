import { killAtPoint } from './kill-at-point.ts'

export const killBeforeInsert = killAtPoint('receiver', 'before-insert', {
  name: 'kill-before-insert',
  describe: 'a receiver dies with a verified delivery in its hands',
})
