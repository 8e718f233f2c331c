import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** A sign-in: the refresh token of a client, or the cookie of the web app. Only the token's hash is stored. */
export const sessions = table("sessions", {
  columns: {
    id: text().primaryKey(),
    token_hash: text(),
    user_id: text().references("users", "cascade"),
    device: text().nullable(),
    /** The network address that it was opened from, or its network. */
    address: text().nullable(),
    /** How its user signed in; null for guests. */
    method: text<
      "owner-link" | "password" | "reset-link" | "provider" | "passkey" | "proxy" | "directory"
    >().nullable(),
    created_at: bigint(),
    expires_at: bigint(),
    revoked_at: bigint().nullable(),
    /** When its user last entered the password to confirm who they are. */
    confirmed_at: bigint().nullable(),
  },
  indexes: {
    sessions_by_token: { on: "token_hash", isUnique: true },
    sessions_by_user: "user_id",
    sessions_by_end: "expires_at",
    sessions_revoked: { on: "revoked_at", where: "revoked_at is not null" },
  },
  backup: "in backup",
});
