// Answers before it stores. The checker must detect this.
import { runReceiver } from './run-receiver.ts'

await runReceiver((inbox) => ({
  ...inbox,
  async accept(delivery) {
    // Late, so that a kill after the answer comes first.
    setTimeout(() => void inbox.accept(delivery).catch(() => undefined), 100)
    return 'stored'
  },
}))
