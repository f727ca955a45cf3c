import { expect, it } from 'vitest'
import { chatLink } from './chats.ts'

it.each([
  ['https://status.example/a?x=1&y=|z>', 'https://status.example/a?x=1&y=%7Cz%3E'],
  ['https://status.example/<b>`"\'', 'https://status.example/%3Cb%3E%60%22%27'],
  ['https://status.example/\\a', 'https://status.example//a'],
  ['javascript:alert(1)', undefined],
  ['not a URL', undefined],
])('makes a safe link of %s', (url, link) => {
  expect(chatLink(url)).toBe(link)
})
