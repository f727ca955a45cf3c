import type { AlertRow } from '@feed-receiver/operate/alerts'
import type { Inbox } from '@feed-receiver/inbox'
import { expect, it } from 'vitest'
import { listOpenAlerts, matchAlerts } from './read-alerts.ts'

const alertOf = (shard: number, hour: number) =>
  ({
    rule: 'problem',
    subject: 'nothing_claimed',
    message: `Shard ${shard} of 2: Nothing was claimed for 60 s.`,
    openedAt: `2026-11-02T1${hour}:00:00.000Z`,
  }) as AlertRow
const problemOf = (shard: number) => ({
  code: 'nothing_claimed',
  message: `Shard ${shard} of 2: Nothing was claimed for 3 minutes.`,
})

it('shows the alert of a shard beside the problem of this shard only', () => {
  const { since, others } = matchAlerts([problemOf(1), problemOf(2)], [alertOf(2, 3)])
  expect([since(problemOf(1)), since(problemOf(2)), others]).toEqual([
    '',
    ' Alert open since 2026-11-02T13:00:00.000Z.',
    [],
  ])
})

it('lists the alert of a shard whose problem is over, even if another has the problem', () => {
  const [over, open] = [alertOf(1, 2), alertOf(2, 3)]
  const { since, others } = matchAlerts([problemOf(2)], [over, open])
  expect([since(problemOf(2)), others]).toEqual([
    ' Alert open since 2026-11-02T13:00:00.000Z.',
    [over],
  ])
})

it('shows the first alert of all shards beside a problem that names none', () => {
  const problem = { code: 'nothing_claimed', message: 'Nothing was claimed for 3 minutes.' }
  const { since } = matchAlerts([problem], [alertOf(1, 4), alertOf(2, 3)])
  expect(since(problem)).toBe(' Alert open since 2026-11-02T13:00:00.000Z.')
})

it('fails if no shard with tables of alerts answers', async () => {
  const [without, unreachable] = [{}, {}] as [Inbox, Inbox]
  const list = () => Promise.reject(new Error('The database does not answer.'))
  const of = (shard: Inbox) => (shard === unreachable ? { list } : undefined)
  const listed = listOpenAlerts([without, unreachable], { of })
  await expect(listed).rejects.toThrow('The database does not answer.')
  expect(await listOpenAlerts([without], { of })).toEqual([])
})

it('names the shard of each alert by its number among all', async () => {
  const [without, second] = [{}, {}] as [Inbox, Inbox]
  const list = async () => [{ message: 'Nothing was claimed.' } as AlertRow]
  const of = (shard: Inbox) => (shard === second ? { list } : undefined)
  expect(await listOpenAlerts([without, second], { of })).toMatchObject([
    { message: 'Shard 2 of 2: Nothing was claimed.' },
  ])
  expect(await listOpenAlerts([second], { of })).toMatchObject([
    { message: 'Nothing was claimed.' },
  ])
})
