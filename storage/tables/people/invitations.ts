import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Links with which people create an account. Each works once. */
export const invitations = table("invitations", {
  columns: {
    id: text().primaryKey(),
    token_hash: text(),
    role: text<"admin" | "member">(),
    /** The name of the invited person, as the inviter wrote it. */
    note: text().nullable(),
    created_by: text().nullable().references("users", "set null"),
    created_at: bigint(),
    expires_at: bigint(),
    used_at: bigint().nullable(),
    used_by: text().nullable().references("users", "set null"),
    revoked_at: bigint().nullable(),
  },
  indexes: {
    invitations_by_token: { on: "token_hash", isUnique: true },
    invitations_by_creator: "created_by",
    invitations_by_user: "used_by",
  },
  backup: "in backup",
});

/** Guests who asked for an account. Their name, e-mail address and password are stored already. */
export const joinRequests = table("join_requests", {
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    created_at: bigint(),
  },
  backup: "in backup",
});
