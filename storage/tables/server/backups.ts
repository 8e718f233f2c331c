import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

const since = "0065-backups";

/** One row: the name of this installation, which its backups and its file store have too. */
export const installations = table("installations", {
  since,
  columns: {
    id: text<"server">().primaryKey(),
    name: text(),
    created_at: bigint(),
  },
  backup: "in backup",
});

/** One row, if an administrator has set up backups. The settings of the environment count instead. */
export const backupSettings = table("backup_settings", {
  since,
  columns: {
    id: text<"server">().primaryKey(),
    /** The folder that backups go to; null if they go to a bucket. */
    folder: text().nullable(),
    /** JSON: endpoint, bucket, region, style and the id of the access key. */
    bucket: text().nullable(),
    /** When on each day, in the server's time: 03:15. */
    time: text(),
    keep_days: integer(),
    updated_at: bigint(),
  },
  backup: "in backup",
});

/** The encrypted passphrase, and the secret of the access key to the bucket. */
export const backupSecrets = table("backup_secrets", {
  since,
  columns: {
    id: text<"passphrase" | "secret-access-key">().primaryKey(),
    ciphertext: text(),
    key_id: text(),
  },
  backup: "secret",
});

/** One row: when the next backup is due, and how the last ones ended. */
export const backupState = table("backup_state", {
  since,
  columns: {
    id: text<"server">().primaryKey(),
    due_at: bigint().nullable(),
    last_success_at: bigint().nullable(),
    last_success_name: text().nullable(),
    last_success_bytes: bigint().nullable(),
    last_failure_at: bigint().nullable(),
    last_failure_problem: text().nullable(),
    last_failure_text: text().nullable(),
    /** How many have failed since the last success. */
    failures: integer().default(0),
  },
  // A restored server makes its own.
  backup: "rebuilt",
});
