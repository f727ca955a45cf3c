import { moveQueueSql } from './move-queue.ts'

const queueSchema = "current_schema() || '_queue'"

export const oneSchema = `-- The queue lies beside the tables of the inbox. Before, pg-boss had a schema of its own. Processes of
-- the version before fail from here on, and write nothing.
${moveQueueSql(queueSchema, 'current_schema()')}
-- Whoever has put something else into that schema keeps it.
do $drop$
begin
  execute format('drop schema if exists %I', ${queueSchema});
exception when dependent_objects_still_exist then
  null;
end
$drop$;
`
