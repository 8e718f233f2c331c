import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** People who sign in to this server. Users that API keys name have no row. */
export const users = table("users", {
  columns: {
    id: text().primaryKey(),
    kind: text<"anonymous" | "member" | "admin">(),
    workspace_id: text().references("workspaces"),
    email: text().nullable(),
    name: text().nullable(),
    created_at: bigint(),
    last_seen_at: bigint(),
    disabled_at: bigint().nullable(),
    /** 1 for owners. Administrators cannot change them. An owner's kind is `admin`. */
    is_owner: integer().default(0),
    /** The form of the e-mail address that is compared. Unique. Null without an account. */
    email_key: text().nullable(),
    email_verified_at: bigint().nullable(),
    /** When the account was created or approved. Null for guests, and for an owner without an account. */
    joined_at: bigint().nullable(),
    /** The account that a guest signed in to. The account has the guest's threads and files since then. */
    merged_into: text().nullable(),
    /** When the account will be deleted. If the person asked for it, a sign-in before then resets it to null. */
    deletion_due_at: bigint().nullable(),
    /** The administrator who deleted the account. Until it is due, the person can only export what is in it. */
    deletion_by: text().nullable(),
    /** 1 for visitors with an anonymous token of the app of their workspace. Other guests are in the web app. */
    is_app_visitor: integer().default(0),
  },
  indexes: {
    users_by_workspace: "workspace_id",
    users_by_email: { on: "email_key", isUnique: true, where: "email_key is not null" },
    users_joined: { on: "joined_at, id", where: "joined_at is not null" },
    users_by_deletion: { on: "deletion_due_at", where: "deletion_due_at is not null" },
  },
  backup: "in backup",
});
