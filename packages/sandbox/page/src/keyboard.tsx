import { Dialog, Keys, linkTo, tryTo, useKeys, useTask, useTopic } from '@feed-receiver/page-kit'
import type { Topic } from '@feed-receiver/page-kit'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { NextFaultForm } from './faults.tsx'
import { ComposeForm } from './events.tsx'
import { sendAgain } from './send-again.ts'

type Shown = 'compose' | 'fault'

type DialogForm = ComponentType<{ onDone: () => void; firstType?: string | undefined }>

const dialogs: Record<Shown, { title: string; Form: DialogForm }> = {
  compose: { title: 'Publish an event', Form: ComposeForm },
  fault: { title: 'Make the next delivery fail', Form: NextFaultForm },
}

/** Opens a keyboard dialog from a button. */
export const opened: Topic<Shown> = new Set()

/**
 * The keys that work on every screen, with the dialogs that they open. The button lists the keys.
 * `firstType` returns the type that the dialog for a new event offers first.
 */
export function Keyboard({ firstType }: { firstType?: () => string }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const task = useTask()
  useTopic(opened, setShown)
  useKeys({
    t: () => setShown('compose'),
    f: () => setShown('fault'),
    r: ({ repeat }) => {
      // A key held down would send again and again.
      if (repeat || task.isBusy) return
      void task.run(() => tryTo('send the selected delivery again', sendSelected))
    },
  })
  const dialog = shown && dialogs[shown]
  const close = () => setShown(null)
  return (
    <>
      <Keys keys={keys} />
      {dialog && (
        <Dialog key={shown} title={dialog.title} onClose={close}>
          <dialog.Form onDone={close} firstType={firstType?.()} />
          <form method="dialog" class="tools">
            <button>Cancel</button>
          </form>
        </Dialog>
      )}
    </>
  )
}

const keys = [
  ['t', 'Publish an event'],
  ['r', 'Send the selected delivery again'],
  ['f', 'Make the next delivery fail'],
  ['j, k', 'Select the next or previous row'],
  ['Enter', 'Open the selected row'],
  ['1, 2 …', 'Go to the first, second … screen'],
  ['Esc', 'Close the newest notice'],
  ['?', 'Show these keys'],
] as const

/**
 * Sends the delivery of the focused row, or the one that the screen shows. A row or screen about an
 * event names its newest delivery in data-delivery.
 */
async function sendSelected(): Promise<string> {
  const named =
    document.activeElement?.closest<HTMLElement>('[data-delivery]') ??
    document.querySelector<HTMLElement>('.shown[data-delivery]')
  if (named) return (await sendAgain(Number(named.dataset['delivery']))).notice
  const row = document.activeElement?.closest('.row-link')?.getAttribute('href') ?? ''
  const [, id] = /^#\/delivery\?id=(\d+)$/.exec(row || location.hash) ?? []
  if (id === undefined) throw new Error('No delivery is selected. Select one with j and k first.')
  const next = await sendAgain(Number(id))
  if (row === '') location.hash = linkTo('delivery', { id: next.id })
  return next.notice
}
