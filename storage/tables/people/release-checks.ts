import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Whether the server looks for newer releases, and what it found. One row, once an administrator has changed that. */
export const releaseChecks = table("release_checks", {
  since: "0064-updates",
  columns: {
    id: text<"server">().primaryKey(),
    is_on: integer(),
    /** When it began to look the last time. */
    looked_at: bigint().nullable(),
    /** 1 if that failed. */
    has_failed: integer().default(0),
    newest_version: text().nullable(),
    /** Where the notes of that version are. */
    notes_url: text().nullable(),
  },
  backup: "in backup",
});
