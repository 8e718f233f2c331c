import * as z from "zod/mini";
import { setting } from "./setting.ts";
import { oneOf, url } from "./setting-types.ts";

export const updateSettings = z.object({
  copyBeforeUpgrade: setting(
    "COPY_BEFORE_UPGRADE",
    "Whether the database is copied into DATA_DIR before a new version changes its tables. on: SQLite always, PostgreSQL if pg_dump is installed and succeeds. required: the new version does not start without a copy. off: no copy.",
    oneOf(["on", "required", "off"]),
    "on",
  ),
  url: setting(
    "UPDATE_URL",
    "Where the server asks for the newest release, once an administrator has switched that on: a URL that returns JSON with its version. Without it, the registry that npm uses on this machine is asked.",
    url(),
  ),
});
