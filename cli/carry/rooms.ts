import { createAssistants } from "#server/assistants/assistants.ts";
import { createCarrying, type Carrying } from "#server/carrying.ts";
import { createLive } from "#server/live/live.ts";
import { createLogger } from "#server/logger.ts";
import { createMakersOf } from "#server/runs/makers.ts";
import { createBookmarks } from "#server/threads/bookmarks.ts";
import { createThreads } from "#server/threads/threads.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Door } from "../door.ts";

/** The rooms that threads go out and come in by, without a server around them. */
export function carryingOver(db: Database, door: Door): Carrying {
  const { clock } = door;
  const { dataDir, importBytes } = door.config();
  const logger = createLogger("silent");
  const live = createLive({ db });
  const bookmarks = createBookmarks({ db, clock, logger, saveAfterMs: 0 });
  const assistants = createAssistants({ db, live, clock, toolNames: () => [] });
  const threads = createThreads({ db, assistants, live, clock, bookmarks });
  const makersOf = createMakersOf({ db, assistants });
  return createCarrying({ db, clock, live, threads, makersOf, dataDir, importBytes, logger });
}
