import { beforeAll, describe, expect, test } from 'vitest'
import { describeOnEachWay, embedded, useDatabase } from '../../../../test/support/databases.ts'

const instant = new Date('2026-11-21T00:41:07.123Z')

describeOnEachWay('values on %s', (kind) => {
  const database = useDatabase(kind)

  async function valueOf(expression: string, ...values: unknown[]): Promise<unknown> {
    const { rows } = await database().query<{ v: unknown }>(`select ${expression} as v`, values)
    return rows[0]?.v
  }

  test.each<[string, unknown]>([
    ['true', true],
    ['1::int2', 1],
    ['2147483647', 2147483647],
    ['9007199254740991::int8', 9007199254740991],
    ['9007199254740993::int8', 9007199254740993n],
    ['(-9007199254740993)::int8', -9007199254740993n],
    ['(select count(*) from pg_class where false)', 0],
    ['1.5::float4', 1.5],
    ["'NaN'::float8", Number.NaN],
    ['12.50::numeric', '12.50'],
    ["'a'::text", 'a'],
    ["'a'::varchar(3)", 'a'],
    ["'a'::name", 'a'],
    ["'550e8400-e29b-41d4-a716-446655440000'::uuid", '550e8400-e29b-41d4-a716-446655440000'],
    [String.raw`'\x00ff'::bytea`, Buffer.from([0, 255])],
    ["''::bytea", Buffer.alloc(0)],
    ["'2026-11-21T00:41:07.123456Z'::timestamptz", instant],
    ["'2026-11-21T00:41:07.123'::timestamp", '2026-11-21 00:41:07.123'],
    ["'2026-11-21'::date", '2026-11-21'],
    ["'1 day 02:03'::interval", '1 day 02:03:00'],
    [`'{"a":[1,null]}'::jsonb`, { a: [1, null] }],
    ["'null'::json", null],
    ['null::jsonb', null],
    ['\'{a,NULL,"b,c"}\'::text[]', ['a', null, 'b,c']],
    [String.raw`array['\x00ff'::bytea, null]`, [Buffer.from([0, 255]), null]],
    ["array['2026-11-21T00:41:07.123Z'::timestamptz]", [instant]],
    ['array[1, 9007199254740993]::int8[]', [1, 9007199254740993n]],
    [`array['{"a":1}'::jsonb]`, [{ a: 1 }]],
    [
      'array[[1,2],[3,4]]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["'{}'::uuid[]", []],
    ["array['1 day'::interval]", '{"1 day"}'],
  ])('%s', embedded, async (expression, expected) => {
    expect(await valueOf(expression)).toEqual(expected)
  })

  test.each<[string, unknown, unknown]>([
    ['text', 'Zürich 🚲', 'Zürich 🚲'],
    ['text', 5, '5'],
    ['text', '', ''],
    ['text', null, null],
    ['text', undefined, null],
    ['int4', 5, 5],
    ['int4', '5', 5],
    ['int8', 9007199254740993n, 9007199254740993n],
    ['bool', false, false],
    ['float8', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ['bytea', Buffer.from([0, 255]), Buffer.from([0, 255])],
    ['bytea', new Uint8Array([9, 0, 255, 9]).subarray(1, 3), Buffer.from([0, 255])],
    ['bytea', new Uint8Array(), Buffer.alloc(0)],
    ['timestamptz', instant, instant],
    ['timestamptz', new Date('0050-01-01T00:00:00Z'), new Date('0050-01-01T00:00:00Z')],
    ['timestamptz', new Date('-000043-03-15'), new Date('-000043-03-15')],
    ['jsonb', { a: ['ü', null] }, { a: ['ü', null] }],
    ['jsonb', '{"a":1}', { a: 1 }],
    ['jsonb', JSON.stringify([1, 'two']), [1, 'two']],
    ['text[]', [], []],
    [
      'text[]',
      ['a"b', String.raw`c\d`, 'NULL', null, '', '{}', 'Zürich 🚲'],
      ['a"b', String.raw`c\d`, 'NULL', null, '', '{}', 'Zürich 🚲'],
    ],
    [
      'bytea[]',
      [Buffer.from([0]), new Uint8Array([255]), null, new Uint8Array()],
      [Buffer.from([0]), Buffer.from([255]), null, Buffer.alloc(0)],
    ],
    ['timestamptz[]', [instant, null], [instant, null]],
    ['int8[]', [1, 2n, '3', null], [1, 2, 3, null]],
    [
      'int4[]',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['bool[]', [true, false], [true, false]],
    ['jsonb[]', [{ a: 1 }, '"text"', null], [{ a: 1 }, 'text', null]],
    ['uuid[]', ['550e8400-e29b-41d4-a716-446655440000'], ['550e8400-e29b-41d4-a716-446655440000']],
  ])('round-trips case %#, a parameter of type %s', embedded, async (type, value, expected) => {
    expect(await valueOf(`$1::${type}`, value)).toEqual(expected)
  })

  test.each<[string, unknown]>([
    ['an invalid Date', new Date(Number.NaN)],
    ['a symbol', Symbol('a')],
    ['a function', () => 1],
    ['one inside an array', [() => 1]],
  ])('rejects %s as a parameter', embedded, async (_name, value) => {
    await expect(valueOf('$2::text', 'fine', value)).rejects.toMatchObject({
      code: 'bad_parameter',
      message: expect.stringContaining('$2'),
    })
  })

  describe('a batch through unnest', () => {
    beforeAll(async () => {
      await database().query(
        'create table batch (id text primary key, body bytea, at timestamptz, data jsonb, n int8)',
      )
    })

    const insert = `insert into batch select * from
      unnest($1::text[], $2::bytea[], $3::timestamptz[], $4::jsonb[], $5::int8[])`

    test(
      'stores each row unchanged, with nulls in every column but the key',
      embedded,
      async () => {
        const body = new Uint8Array(70_000).map((_byte, index) => index % 256)
        const { rowCount } = await database().query(insert, [
          ['a', 'b "quoted" \\ {x},y', 'c 🚲'],
          [Buffer.from(body), body, null],
          [instant, null, new Date(0)],
          [null, { deep: { list: [1, 'ü'] } }, '"text"'],
          [Number.MAX_SAFE_INTEGER, 9007199254740993n, null],
        ])
        expect(rowCount).toBe(3)
        const { rows } = await database().query('select * from batch order by id')
        expect(rows).toEqual([
          { id: 'a', body: Buffer.from(body), at: instant, data: null, n: Number.MAX_SAFE_INTEGER },
          {
            id: 'b "quoted" \\ {x},y',
            body: Buffer.from(body),
            at: null,
            data: { deep: { list: [1, 'ü'] } },
            n: 9007199254740993n,
          },
          { id: 'c 🚲', body: null, at: new Date(0), data: 'text', n: null },
        ])
      },
    )

    test('inserts nothing for no rows', async () => {
      expect(await database().query(insert, [[], [], [], [], []])).toEqual({
        rows: [],
        rowCount: 0,
      })
    })

    test('stores all of 1,000 rows', embedded, async () => {
      const ids = Array.from({ length: 1000 }, (_value, index) => `many-${index}`)
      const bodies = ids.map((id) => Buffer.from(id))
      const nulls = ids.map(() => null)
      const { rowCount } = await database().query(insert, [ids, bodies, nulls, nulls, nulls])
      expect(rowCount).toBe(1000)
      expect(
        await valueOf("(select count(*) from batch where body = convert_to(id, 'UTF8'))"),
      ).toBe(1000)
    })
  })

  test('keeps the SQLSTATE of an error and none of its values', embedded, async () => {
    await database().query('create table once (id text primary key)')
    await database().query('insert into once values ($1)', ['a'])
    const failure = database().query('insert into once values ($1)', ['a'])
    await expect(failure).rejects.toMatchObject({ code: '23505' })
    const failedBytes = database().query('insert into once values ($1::int)', ['secret-body'])
    await expect(failedBytes).rejects.not.toHaveProperty('params')
  })

  test('rejects a second statement in one text', embedded, async () => {
    await expect(database().query('select 1; select 2')).rejects.toMatchObject({ code: '42601' })
  })

  test('counts the rows that a statement changed', embedded, async () => {
    await database().query('create table counted (n int)')
    expect(await database().query('insert into counted select generate_series(1, 5)')).toEqual({
      rows: [],
      rowCount: 5,
    })
    expect(await database().query('update counted set n = 0 where n > 2')).toMatchObject({
      rowCount: 3,
    })
    expect(await database().query('select n from counted where n = 1')).toMatchObject({
      rowCount: 1,
    })
  })

  test('reads the same bytes in every output format of the server', embedded, async () => {
    const bytes = Buffer.from([...Array.from({ length: 256 }).keys(), 0x5c, 0x78, 0x30])
    await database().tx(async (tx) => {
      await tx.query("set local bytea_output = 'escape'")
      const text = 'select $1::bytea as v, array[$1::bytea] as vs, $2::bytea as none'
      const { rows } = await tx.query(text, [bytes, Buffer.alloc(0)])
      expect(rows).toEqual([{ v: bytes, vs: [bytes], none: Buffer.alloc(0) }])
    })
  })

  test('rejects times that the server does not print as ISO', embedded, async () => {
    const reading = database().tx(async (tx) => {
      await tx.query("set local datestyle = 'SQL, DMY'")
      await tx.query('select now() as v')
    })
    await expect(reading).rejects.toMatchObject({ code: 'date_style' })
    expect(await valueOf('1')).toBe(1)
  })
})
