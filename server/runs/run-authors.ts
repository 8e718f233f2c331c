import type { RunNote } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { AuthorsOf } from "../messages/authors.ts";
import * as rows from "./rows.ts";

export function createAuthorsOf(options: { db: Database; assistants: Assistants }): AuthorsOf {
  const { db, assistants } = options;
  return async (appId, runIds) => {
    if (runIds.length === 0) return new Map();
    const runs = await rows.findAuthors(db, runIds);
    const assistantIds = [...new Set(runs.flatMap((run) => run.assistant_id ?? []))];
    const names = await assistants.findNames(appId, assistantIds);
    return new Map(
      runs.map((run) => [
        run.id,
        {
          assistant_id: run.assistant_id,
          assistant_name: names.get(run.assistant_id ?? "") ?? null,
          model: rows.visibleModel(run),
          notes: run.notes === null ? [] : (JSON.parse(run.notes) as RunNote[]),
          ...(run.open_comparison_id === null ? {} : { comparison_id: run.open_comparison_id }),
        },
      ]),
    );
  };
}
