import { beforeAll, describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { actions } from './actions.ts'
import { addressOf } from './address.ts'

const none = {
  account: 'acct_none',
  destination: `dst_${'0'.repeat(24)}`,
  event: 'evt_none',
  eventRef: `event_${'0'.repeat(48)}`,
  number: 999_999_999,
}
const destination = { id: none.destination }

const methods = new Map(
  Object.keys(actions).map((name) => {
    const { method, path } = addressOf(name)
    return [path, method]
  }),
)

/** Every action that names something, with a name that nothing has. */
const naming: Record<string, Record<string, unknown>> = {
  event: { id: none.event },
  delivery: { id: none.number },
  'change-account': { id: none.account, proActive: true },
  'create-key': { accountId: none.account, name: 'App' },
  'revoke-key': { id: none.number },
  'change-event': { to: 'confirm', id: none.event },
  'compose-account-event': { accountId: none.account },
  'change-account-event': { to: 'retract', eventRef: none.eventRef },
  'delete-api-fault': { id: none.number },
  'create-destination': { accountId: none.account, name: 'App', url: 'http://127.0.0.1:9/' },
  'change-destination': { ...destination, name: 'App' },
  'test-destination': destination,
  'pause-destination': destination,
  'rotate-secret': destination,
  'cancel-rotation': destination,
  'delete-destination': destination,
  'resend-delivery': { id: none.number },
  'retry-delivery': { id: none.number },
  'create-delivery-fault': { fault: 'late', destinationId: none.destination },
  'delete-delivery-fault': { id: none.number },
}

/** These name nothing, or narrow a list down, which is empty then. */
const others = `
  clock settings accounts keys export api-faults events requests choices
  destinations destination-changes deliveries delivery-faults
  reset move-clock change-settings create-account compose-event create-api-fault
`
  .trim()
  .split(/\s+/)

it('every action with an id is tested with an unknown one', () => {
  expect([...Object.keys(naming), ...others].toSorted()).toEqual([...methods.keys()].toSorted())
})

describe('control actions', () => {
  const made = useSandbox({ historyDays: 0 })

  it.each(Object.entries(naming))('%s answers 404 to an unknown id', async (name, input) => {
    const { act, get, sandbox } = made()
    const answer =
      methods.get(name) === 'GET'
        ? await get(`/_sandbox/api/${name}?id=${String(input['id'])}`, { key: sandbox.session })
        : await act(name, input)
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(answer.body.error).toMatch(adviceAfterProblem)
  })

  it('create-account answers 409 to a taken id and changes nothing', async () => {
    const { act, sandbox } = made()
    const taken = { id: 'acct_taken', name: 'First' }
    expect(await act('create-account', taken)).toMatchObject({ status: 200 })
    const answer = await act('create-account', { ...taken, name: 'Second' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(answer.body.error).toMatch(adviceAfterProblem)
    const accounts = await sandbox.control.listAccounts()
    expect(accounts.filter(({ id }) => id === taken.id)).toMatchObject([{ name: 'First' }])
    await expect(sandbox.control.createAccount(taken)).rejects.toMatchObject({ reason: 'conflict' })
  })

  describe('in the wrong state', () => {
    let id = ''
    let keyId = 0
    let eventId = ''
    let eventRef = ''
    beforeAll(async () => {
      const { control } = made().sandbox
      const account = { accountId: 'acct_sandbox', name: 'App' }
      ;({ id } = await control.createDestination({ ...account, url: 'http://127.0.0.1:9/' }))
      ;({ id: keyId } = await control.createKey(account))
      await control.revokeKey({ id: keyId })
      ;({ id: eventId } = await control.composeEvent({}))
      await control.changeEvent({ to: 'retract', id: eventId })
      ;({ eventRef } = await control.composeAccountEvent({ accountId: 'acct_sandbox' }))
      await control.changeAccountEvent({ to: 'retract', eventRef })
    })

    it.each([
      ['pause-destination', () => ({ id })],
      ['cancel-rotation', () => ({ id })],
      ['revoke-key', () => ({ id: keyId })],
      ['change-event', () => ({ to: 'confirm', id: eventId })],
      ['change-account-event', () => ({ to: 'retract', eventRef })],
    ])('%s says what to do', async (name, input) => {
      const answer = await made().act(name, input())
      expect([404, 409]).toContain(answer.status)
      expect(answer.body.error).toMatch(adviceAfterProblem)
    })
  })
})

/** Two sentences: what is wrong, and what to do. */
const adviceAfterProblem = /^[A-Z][^.]+\. [A-Z].+\.$/
