import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { printPage } from './format-table.ts'
import { createOutput } from './output.ts'

function streams({ isTTY = false } = {}) {
  const printed = { stdout: '', stderr: '' }
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 20 })
  const stderr = Object.assign(new PassThrough(), { isTTY })
  stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()))
  stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()))
  return { stdout, stderr, printed }
}

describe('the output', () => {
  it('hides secrets in everything it prints', () => {
    for (const isJson of [false, true]) {
      const { stdout, stderr, printed } = streams({ isTTY: true })
      const out = createOutput({ stdout, stderr, isJson })
      out.hide('postgres://user:word@host/db')
      const text = 'feed_whsec_abc and postgres://user:word@host/db'
      out.line(text)
      out.json({ text })
      out.note(text)
      out.progress(text)
      out.error({ code: 'usage', message: text })
      expect(printed.stdout + printed.stderr).toContain('[hidden]')
      expect(printed.stdout + printed.stderr).not.toMatch(/whsec_a|word/)
    }
  })

  it('replaces control characters that a terminal would obey', () => {
    const { stdout, stderr, printed } = streams()
    createOutput({ stdout, stderr, isJson: false }).line('a\u001B[2Jb\u202Ec\rd\ne')
    expect(printed.stdout).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd\ne\n')
  })

  it('shows progress in place on a terminal, and nowhere else', () => {
    const { stdout, stderr, printed } = streams({ isTTY: true })
    const out = createOutput({ stdout, stderr, isJson: false })
    out.progress('one')
    out.progress('a text that is longer than the terminal')
    out.line('done')
    expect(printed).toEqual({
      stdout: 'done\n',
      stderr: '\r\u001B[Kone\r\u001B[Ka text that is long\r\u001B[K',
    })
    const plain = streams()
    createOutput({ ...plain, isJson: false }).progress('one')
    expect(plain.printed).toEqual({ stdout: '', stderr: '' })
  })

  it('prints an error in one line', () => {
    const { stdout, stderr, printed } = streams()
    createOutput({ stdout, stderr, isJson: false }).error({ code: 'x', message: 'One.\n  Two.' })
    expect(printed.stderr).toBe('error: One. Two.\n')
  })

  it('prints how far back a page searched, and how to get the next page', () => {
    const { stdout, stderr, printed } = streams({ isTTY: true })
    const out = createOutput({ stdout, stderr, isJson: false })
    printPage(out, { next: 7, searchedBackTo: '2026-01-01T00:00:00.000Z' }, [])
    expect(printed.stderr).toBe(
      'Searched back to 2026-01-01T00:00:00.000Z.\nMore rows: add --after 7\n',
    )
  })
})
