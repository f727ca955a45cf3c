import { inbox } from './0001-inbox.ts'
import { effects } from './0002-effects.ts'
import { operating } from './0003-operating.ts'
import { pull } from './0004-pull.ts'
import { operations } from './0005-operations.ts'
import { revisions } from './0006-revisions.ts'
import { fewerIndexRows } from './0007-fewer-index-rows.ts'
import { refusals } from './0008-refusals.ts'
import { pauses } from './0009-pauses.ts'
import { replays } from './0010-replays.ts'
import { alerts } from './0011-alerts.ts'
import { bodies } from './0012-bodies.ts'
import { oneSchema } from './0013-one-schema.ts'
import { sealedDays } from './0014-sealed-days.ts'

/** The inbox's own migrations, by name. Modules, because not every runtime can read files. */
export const migrations = {
  '0001-inbox.sql': inbox,
  '0002-effects.sql': effects,
  '0003-operating.sql': operating,
  '0004-pull.sql': pull,
  '0005-operations.sql': operations,
  '0006-revisions.sql': revisions,
  '0007-fewer-index-rows.sql': fewerIndexRows,
  '0008-refusals.sql': refusals,
  '0009-pauses.sql': pauses,
  '0010-replays.sql': replays,
  '0011-alerts.sql': alerts,
  '0012-bodies.sql': bodies,
  '0013-one-schema.sql': oneSchema,
  '0014-sealed-days.sql': sealedDays,
}
