import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** How often somebody entered a wrong password or code, per account or link, alone and with the network address. */
export const failedAttempts = table("failed_attempts", {
  columns: {
    key_hash: text().primaryKey(),
    failures: integer(),
    last_at: bigint(),
  },
  indexes: {
    failed_attempts_by_time: "last_at",
  },
  backup: "in backup",
});
