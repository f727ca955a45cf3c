import { checkTarget } from '@feed-receiver/sender/internal'
import { describe, expect, it } from 'vitest'
import { findChat, isChatHost } from './chats.ts'

const path = `/services/T00000000/B00000000/${'x'.repeat(24)}`

describe('a chat in another spelling of its host', () => {
  it.each([
    `https://hooks.slack.com.${path}`,
    `https://HOOKS.Slack.com${path}`,
    `https://ｈｏｏｋｓ。ｓｌａｃｋ．ｃｏｍ${path}`,
    `https://hooks%2Eslack.com${path}`,
    `https://hooks.slack.com:443${path}`,
    `https://hooks.slack.com.:443${path}`,
  ])('is recognised: %s', (url) => {
    expect(findChat(checkTarget(url))).toBe('slack')
  })

  it.each([
    `https://hooks.slack.com.:8443${path}`,
    'https://hooks.slack.com./workflows/T1/A1/1/x',
    `http://hooks.slack.com.${path}`,
    `https://hooks.slack.com..${path}/more`,
    `https://www.slack.com${path}`,
    'https://slack.com/api/chat.postMessage',
    'https://DISCORD.com./channels/1',
    'https://www.discord.com/api/webhooks/123456789012345678/none',
    'https://outlook.office.com/webhook/old',
    'https://contoso.webhook.office.com./webhookb2/none',
  ])('is rejected for signed deliveries: %s [R181]', (url) => {
    const target = checkTarget(url, { allowLocal: true })
    expect([findChat(target), isChatHost(target)]).toEqual([undefined, true])
  })

  it.each([
    'https://hooks.slack.com.example.com/feed',
    'https://notslack.com/feed',
    'https://mydiscord.com/feed',
    'https://app.example.com./hooks.slack.com/feed',
  ])('is not confused with another host: %s', (url) => {
    expect(isChatHost(checkTarget(url))).toBe(false)
  })
})
