import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { start } from "./0001-start.ts";
import { protocol } from "./0002-protocol.ts";
import { access } from "./0003-access.ts";
import { queue } from "./0006-queue.ts";
import { keeping } from "./0007-keeping.ts";
import { search } from "./0008-search.ts";
import { traces } from "./0009-traces.ts";
import { files } from "./0010-files.ts";
import { allowedTools } from "./0011-allowed-tools.ts";
import { pinned } from "./0012-pinned.ts";
import { assistants } from "./0013-assistants.ts";
import { fileTexts } from "./0014-file-texts.ts";
import { makers } from "./0015-makers.ts";
import { unreadFiles } from "./0016-unread-files.ts";
import { searchFiles } from "./0017-search-files.ts";
import { timeZones } from "./0018-time-zones.ts";
import { searchLists } from "./0019-search-lists.ts";
import { searchPieces } from "./0020-search-pieces.ts";

/** Takes the schema one version further, inside a transaction. Once released it is never edited. */
export type Migration = (db: Kysely<unknown>, engine: Engine) => Promise<void>;

/** Every migration; they run in the order of their names. */
export const migrations: Record<string, Migration> = {
  "0001-start": start,
  "0002-protocol": protocol,
  "0003-access": access,
  "0006-queue": queue,
  "0007-keeping": keeping,
  "0008-search": search,
  "0009-traces": traces,
  "0010-files": files,
  "0011-allowed-tools": allowedTools,
  "0012-pinned": pinned,
  "0013-assistants": assistants,
  "0014-file-texts": fileTexts,
  "0015-makers": makers,
  "0016-unread-files": unreadFiles,
  "0017-search-files": searchFiles,
  "0018-time-zones": timeZones,
  "0019-search-lists": searchLists,
  "0020-search-pieces": searchPieces,
};
