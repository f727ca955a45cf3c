// Answers before it stores: what the checker must catch.
import { runReceiver } from './run-receiver.ts'

await runReceiver((inbox) => ({
  ...inbox,
  async accept(delivery) {
    // Late enough that whatever kills it after its answer comes first.
    setTimeout(() => void inbox.accept(delivery).catch(() => undefined), 100)
    return 'stored'
  },
}))
