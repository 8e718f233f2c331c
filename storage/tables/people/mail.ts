import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** One row, if the owner has entered a mail server. */
export const mailSettings = table("mail_settings", {
  columns: {
    id: text<"server">().primaryKey(),
    host: text(),
    port: integer(),
    security: text<"tls" | "starttls" | "none">(),
    username: text().nullable(),
    /** The address that messages come from. */
    sender: text(),
    updated_at: bigint(),
  },
  backup: "in backup",
});

/** The encrypted password of the mail server. */
export const mailSecrets = table("mail_secrets", {
  columns: {
    id: text<"server">().primaryKey().references("mail_settings", "cascade"),
    ciphertext: text(),
    key_id: text(),
  },
  // As those of model providers. It is entered again after a restore.
  backup: "secret",
});
