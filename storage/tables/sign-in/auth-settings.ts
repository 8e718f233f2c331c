import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** One row, once an administrator has changed the settings. */
export const authSettings = table("auth_settings", {
  columns: {
    id: text<"server">().primaryKey(),
    joining: text<"invitation" | "approval" | "open">(),
    /** 1 if people can chat without an account. */
    guests: integer(),
    /** JSON list of domains whose people can get an account. */
    email_domains: text(),
    /** Who must have a second factor. */
    second_factor: text<"optional" | "admins" | "everyone">().default("optional"),
    /** How many days entries of the audit log are kept, or 0 for ever. Null: as the operator's setting says. */
    keep_audit_days: integer().nullable(),
    updated_at: bigint(),
  },
  backup: "in backup",
});
