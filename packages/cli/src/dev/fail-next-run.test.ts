import { expect, it } from 'vitest'
import { isOnThisMachine } from './fail-next-run.ts'

it.each([
  ['', true],
  ['./data', true],
  ['file:./data', true],
  ['postgres://ada:secret@localhost:5432/app', true],
  ['postgresql://127.0.0.1/app', true],
  ['postgres://[::1]/app', true],
  ['postgres:///app?host=/var/run/postgresql', true],
  ['postgres://db.example.com/app', false],
  ['postgres:///app?host=db.example.com', false],
  ['postgres://localhost/app?host=db.example.com', false],
  ['postgres://localhost,db.example.com/app', false],
  ['postgres://localhost.example.com/app', false],
])('fails runs on purpose only in a database on this machine: %s is %s', (named, isLocal) => {
  expect(isOnThisMachine(named)).toBe(isLocal)
})
