const { createReceiver } = require('@feed-receiver/core')
const { signDelivery } = require('@feed-receiver/core/testing')
const { createInbox } = require('@feed-receiver/inbox')
const event = require('./event.json')

async function main() {
  const secret = 'feed_whsec_packed_0123456789abcdef'
  const inbox = createInbox()
  await inbox.start()
  const receiver = createReceiver({ secrets: [secret], inbox })
  const { status } = await receiver.receive({ method: 'POST', ...signDelivery(event, { secret }) })
  console.log(status)
  await inbox.stop()
}

main().catch(({ code, message }) => {
  console.error(code, message)
  process.exit(1)
})
