import { readdirSync } from 'node:fs'
import { expect, describe, inject, it } from 'vitest'
import { checks } from '../../packages/cli/src/check/checks.ts'
import { startChild } from '../support/child.ts'
import { createTestDatabase, runSql } from '../support/postgres.ts'
import { jsonbIs400 } from './jsonb-is-400.ts'
import type { MakeReceiver } from './right-steps.ts'
import { checkReceiver, checkUrl, namesOf, secrets } from './run-receiver.ts'

interface Found {
  /** The first one names the fault. */
  failed?: string[]
  warnings?: string[]
}

const rewritten = ['raw_key_order', 'raw_escapes', 'raw_duplicate_keys', 'raw_numbers']
const unreadable = ['not_json', 'byte_order_mark', 'nul']
const forgeries = ['tampered_body', 'tampered_time', 'wrong_secret', 'signature_missing']

/** What the run finds in each receiver of this folder, by the name of its file. */
const faults: Record<string, Found> = {
  // First, since it takes the longest.
  'works-before-answer': { failed: ['answers_in_time'] },
  'accepts-everything': {
    failed: [
      ...forgeries,
      'signature_malformed',
      'signature_upper_case',
      'signature_cut',
      'late',
      'future',
      'forged_not_stored',
    ],
    warnings: ['signature_time_form', 'signature_doubled'],
  },
  'answers-first': { failed: ['stored_before_answer'] },
  'any-case': { failed: ['signature_upper_case'] },
  'bad-json-is-400': { failed: unreadable },
  'bans-connections': { failed: ['keep_alive'] },
  'decodes-as-latin1': { failed: ['raw_non_ascii', 'byte_order_mark', 'invalid_utf8'] },
  'decodes-first': { failed: ['invalid_utf8'] },
  'duplicate-is-400': {
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'same_id_other_bytes', 'restart'],
  },
  'duplicate-is-409': {
    failed: ['duplicates_in_turn', 'duplicates_at_once', 'restart'],
    warnings: ['same_id_other_bytes'],
  },
  'fastify-parser': {
    failed: [
      'content_type_plain',
      'content_type_missing',
      'content_type_other',
      'member_names',
      'not_json',
      'nul',
    ],
    warnings: ['not_an_event'],
  },
  'forgets-on-restart': { failed: ['stored_once_after_restart'] },
  'header-is-key': { failed: ['key_from_body', 'event_id_header_missing'] },
  'header-must-match': { failed: ['event_id_header_differs'] },
  impatient: { failed: ['slow_body'] },
  'json-only': {
    failed: [
      'content_type_plain',
      'content_type_missing',
      'content_type_charset',
      'content_type_other',
    ],
  },
  'known-types-only': { failed: ['unknown_type'], warnings: ['member_names'] },
  'late-is-401': { warnings: ['late', 'future'] },
  'look-then-insert': { failed: ['stored_once'] },
  'loose-form': { warnings: ['signature_time_form'] },
  'mounts-late': { failed: ['restart'] },
  'narrow-window': { failed: ['within_window'] },
  'needs-length': { failed: ['chunked'] },
  'new-version-is-400': { failed: ['schema_version'] },
  'no-clock': { failed: ['late', 'future'] },
  'one-form': { failed: ['signature_two_v1', 'signature_other_scheme'] },
  'one-secret': { failed: ['rotation'] },
  'past-only': { failed: ['future'] },
  'prefix-compare': {
    failed: ['signature_cut', 'signature_two_v1'],
    warnings: ['signature_doubled'],
  },
  'race-is-500': { failed: ['duplicates_at_once'] },
  'reads-exact-names': { failed: ['header_case'] },
  redirects: { failed: ['no_redirect'] },
  'refuses-expect': { failed: ['expect_continue'] },
  'rewritten-json': {
    failed: [
      'raw_whitespace',
      ...rewritten,
      ...unreadable,
      'not_an_event',
      'invalid_utf8',
      'huge_numbers',
      'content_type_charset',
      'tampered_body',
    ],
    warnings: ['deep'],
  },
  'small-limit': { failed: ['large_body'] },
  'stores-first': { failed: ['forged_not_stored'] },
  'strict-schema': {
    failed: [
      'unknown_members',
      'unknown_values',
      'null_members',
      'huge_numbers',
      'not_an_event',
      ...unreadable,
    ],
  },
  'strips-prefix': { failed: ['authentic'] },
  'throws-on-header': {
    failed: ['signature_malformed', 'signature_missing', 'signature_time_form'],
  },
  'trims-body': { failed: ['raw_whitespace', 'byte_order_mark', 'invalid_utf8', 'tampered_body'] },
}

/** These need more than a store; each has a test of its own below. */
const others: Record<string, Found> = {
  'ends-on-header': { failed: ['signature_malformed'] },
  'jsonb-is-400': { failed: ['lone_surrogate', 'long_id', 'not_an_event', ...unreadable] },
}

describe('a wrong receiver is caught by the checks that name its fault', () => {
  it.concurrent('jsonb-is-400', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    await runSql(url, 'create table jsonb_event (id text primary key, event jsonb)')
    const report = await checkReceiver((options) => jsonbIs400(options, url), {
      storedCount: undefined,
    })
    expect(namesOf(report, 'failed').toSorted()).toEqual(others['jsonb-is-400']?.failed?.toSorted())
    await drop()
  })

  it.concurrent('ends-on-header: what comes after it is not held against the receiver', async () => {
    const child = startChild(new URL('ends-on-header.ts', import.meta.url), [...secrets])
    const report = await checkUrl(`http://127.0.0.1:${await child.nextLine()}/`)
    expect(namesOf(report, 'failed')).toEqual(['signature_malformed'])
    expect(
      report.results.filter(({ blockedBy }) => blockedBy === 'signature_malformed').length,
    ).toBe(report.score.blocked)
    expect(report.score.blocked).toBeGreaterThan(10)
    expect(await child.ended).toBe(1)
  })

  it.concurrent.each(Object.entries(faults))('%s', async (file, { failed = [], warnings = [] }) => {
    const report = await checkReceiver(await load(file))
    expect(namesOf(report, 'failed').toSorted()).toEqual(failed.toSorted())
    expect(namesOf(report, 'warning').toSorted()).toEqual(warnings.toSorted())
    expect(report.hasPassed).toBe(failed.length === 0)
    expect(report.score.percent).toBeLessThan(100)
  })
})

describe('the folder of wrong receivers', () => {
  it('is known to these tests, file by file', () => {
    const parts = ['event-store', 'right', 'right-steps', 'run-receiver']
    const files = readdirSync(new URL('.', import.meta.url))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => file.replace('.ts', ''))
    const known = [...Object.keys(faults), ...Object.keys(others), ...parts]
    expect(files.toSorted()).toEqual(known.toSorted())
  })

  it('has one for every check, so that each of them can fail', () => {
    const found = Object.values({ ...faults, ...others })
    const caught = found.flatMap(({ failed = [], warnings = [] }) => [...failed, ...warnings])
    const names = checks.map(({ name }) => name)
    // Nobody writes a receiver that cannot be reached.
    const uncaught = names.filter((name) => name !== 'reachable' && !caught.includes(name))
    expect(uncaught).toEqual([])
  })

  it.concurrent('has one that does everything right, of the same parts', async () => {
    const report = await checkReceiver(await load('right'))
    expect(report.results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(report.score.percent).toBe(100)
  })
})

async function load(file: string): Promise<MakeReceiver> {
  const module: Record<string, MakeReceiver> = await import(/* @vite-ignore */ `./${file}.ts`)
  const [make] = Object.values(module)
  if (!make) throw new Error(`${file}.ts exports nothing`)
  return make
}
